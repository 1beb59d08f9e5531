// Set-up text for each tool, with the address, the pass and a model filled in.

import { ask, pass } from './api.js';
import { byId, choices, copy, setText } from './dom.js';

const base = location.origin + '/v1';
let texts = new Map();

export async function loadSetUps() {
  const answer = await ask('/page/api/setups');
  texts = new Map(answer.tools.map(s => [s.tool, s.text]));
  choices(byId('tool'), answer.tools.map(s => ({ value: s.tool, text: s.tool })));
  showCertificate(answer);
  showSetUp();
}

// showCertificate tells what tools must trust. Where browsers and tools do so by themselves, it tells
// only what can be compared.
function showCertificate(answer) {
  byId('certificate').hidden = !answer.fingerprint;
  if (!answer.fingerprint) return;
  setText(byId('certificate-words'), answer.ca
    ? 'This gateway speaks HTTPS with a certificate of its own, which your tools must trust. Save it as perdiem-ca.pem in your home folder, and compare the SHA-256 with what the owner’s window shows.'
    : 'This gateway speaks HTTPS with a certificate that your tools should know already.');
  setText(byId('fingerprint'), answer.fingerprint);
  byId('ca').parentElement.hidden = !answer.ca;
}

export function offerModels(models) {
  choices(byId('setup-model'), models);
  showSetUp();
}

function textWith(secret) {
  const text = texts.get(byId('tool').value) || '';
  const fill = { '{{origin}}': location.origin, '{{pass}}': secret, '{{model}}': byId('setup-model').value || 'MODEL' };
  return text.replace(/\{\{\w+\}\}/g, name => fill[name] || name);
}

// showSetUp hides the secret half of the pass from whoever looks over a shoulder.
export function showSetUp() {
  const secret = pass.get() || '';
  const shown = byId('show-pass').checked ? secret : secret.slice(0, 13) + '••••••••';
  setText(byId('setup-text'), textWith(shown));
}

function tell(done, what) {
  setText(byId('copied'), done ? what + ' copied' : 'Your browser does not let this page copy; select the text instead.');
}

byId('tool').onchange = byId('setup-model').onchange = byId('show-pass').onchange = () => {
  setText(byId('copied'), '');
  showSetUp();
};
byId('copy-setup').onclick = () => tell(copy(textWith(pass.get())), 'Set-up');
byId('copy-base').onclick = () => tell(copy(base), 'Address');
byId('copy-pass').onclick = () => tell(copy(pass.get()), 'Pass');

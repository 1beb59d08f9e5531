// Set-up text for each tool, with the address, the pass and a model filled in.

import { ask, pass } from './api.js';
import { byId, choices, copy, setText } from './dom.js';

const base = location.origin + '/v1';
let texts = new Map();

export async function loadSetUps() {
  const answer = await ask('/page/api/setups');
  texts = new Map(answer.map(s => [s.tool, s.text]));
  choices(byId('tool'), Array.from(texts.keys()));
  showSetUp();
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

// Signing in and out, and the pulse: once a second, what has changed is asked, and only then are the
// figures. A stream of events would need the pass in its address, since EventSource sends no headers.

import { ask, pass } from './api.js';
import { byId, setText } from './dom.js';
import { codeHere, hideWelcome, showJoining } from './join.js';
import { showDays, showRefusals } from './past.js';
import { hideFresh, loadPasses } from './passes.js';
import { loadSetUps, offerModels, showSetUp } from './setups.js';
import { offerToTry, stopTrying } from './tryit.js';
import { showRunning, showUsage } from './today.js';
import { clock, countdown, nameOf } from './words.js';

const beat = 1000; // milliseconds between two pulses
const slowest = 10000; // and while the gateway does not answer

let seen = ''; // the day and figure of the last reading
let shift = 0; // the gateway's clock less this machine's, in milliseconds
let resetsAt = 0;
let failures = 0;
let timer = 0;
let round = 0; // which pulse the page is at; what an earlier one brings late is dropped

const now = () => Date.now() + shift;

function showDoor(problem) {
  round++;
  clearTimeout(timer);
  stopTrying();
  pass.forget();
  hideFresh();
  hideWelcome();
  byId('house').hidden = true;
  byId('door').hidden = false;
  byId('pass').value = '';
  setText(byId('door-problem'), problem);
  byId('pass').focus();
}

async function enter() {
  seen = '';
  byId('door').hidden = true;
  byId('house').hidden = false;
  await pump();
}

// pump asks for one pulse and plans the next.
async function pump() {
  clearTimeout(timer);
  const mine = ++round;
  try {
    await once(mine);
    if (mine !== round) return;
    failures = 0;
    if (byId('banner').dataset.lost) tell('');
  } catch (e) {
    if (mine !== round) return;
    if (e.status === 401) return showDoor('This pass is no longer valid. Ask the owner of the gateway for a new one.');
    failures++;
    seen = ''; // so that all is shown anew once it answers again
    tell(e.message + ' Trying again …', true);
  }
  if (!document.hidden) timer = setTimeout(pump, Math.min(slowest, beat * (failures + 1)));
}

async function once(mine) {
  const pulse = await ask('/page/api/pulse');
  if (mine !== round) return;
  shift = new Date(pulse.now) - Date.now();
  resetsAt = +new Date(pulse.resetsAt);
  setText(byId('person'), pulse.person);
  showRunning(pulse.running, now());
  tick();
  const state = pulse.day + ' ' + pulse.changed;
  if (state === seen) return;
  const [usage, past] = await Promise.all([ask('/v1/usage'), ask('/page/api/log'), loadPasses(pulse.passId), texts()]);
  if (mine !== round) return;
  showUsage(usage);
  showRefusals(past.refusals, now());
  showDays(past.days);
  const models = usage.models.map(m => ({ value: m.modelId, text: nameOf(m) }));
  offerModels(models);
  offerToTry(models);
  tell(pulse.suspended ? 'Your pass is suspended. Ask the owner of this gateway to resume it.' : '');
  seen = state;
}

const texts = () => (byId('tool').options.length ? null : loadSetUps());

function tell(text, lost) {
  setText(byId('banner'), text);
  byId('banner').dataset.lost = lost ? 'yes' : '';
}

function tick() {
  setText(byId('left'), countdown(resetsAt - now()));
  setText(byId('reset-at'), '(00:00 UTC, ' + clock(new Date(resetsAt), new Date(resetsAt)) + ' your time)');
}

byId('sign-in').onsubmit = async event => {
  event.preventDefault();
  const secret = byId('pass').value.trim();
  setText(byId('door-problem'), '');
  try {
    await ask('/page/api/pulse', undefined, secret);
  } catch (e) {
    setText(byId('door-problem'), e.message);
    byId('pass').select();
    return;
  }
  pass.set(secret);
  byId('pass').value = '';
  enter();
};
byId('sign-out').onclick = () => showDoor('');
document.addEventListener('pass-changed', showSetUp);
document.addEventListener('visibilitychange', () => {
  if (!document.hidden && !byId('house').hidden) pump();
});
setInterval(() => { if (resetsAt && !byId('house').hidden) tick(); }, 250);

const begin = () => (pass.get() ? enter() : showDoor(''));

// arrive looks whether the page was come to by a join link: at first, and when one is pasted later.
function arrive() {
  const code = codeHere();
  if (!code) return false;
  round++;
  clearTimeout(timer);
  byId('door').hidden = byId('house').hidden = true;
  showJoining(code, enter, begin);
  return true;
}
window.addEventListener('hashchange', arrive);
if (!arrive()) begin();

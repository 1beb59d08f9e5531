// Joining by a link: its code stands behind the #, which a browser never sends. It is taken out of the
// address at once, so that no history keeps it, and is redeemed only when the reader says so: a link
// that was opened by mistake stays good for a terminal.

import { ask, pass } from './api.js';
import { byId, copy, setText } from './dom.js';

// codeHere takes the code out of the address; nothing where there is none.
export function codeHere() {
  const said = new URLSearchParams(location.hash.slice(1));
  const code = said.get('join');
  if (code) history.replaceState(null, '', location.pathname);
  return code;
}

// deviceHere is a first guess at what this device is called.
function deviceHere() {
  const about = navigator.userAgent;
  const known = [['iPhone', 'iPhone'], ['iPad', 'iPad'], ['Android', 'Android phone'], ['Windows', 'Windows computer'], ['Mac OS', 'Mac'], ['CrOS', 'Chromebook'], ['Linux', 'Linux computer']];
  const found = known.find(k => about.includes(k[0]));
  return found ? found[1] : 'Browser';
}

// showJoining asks for the device's name, then redeems the code, and calls enter or leave.
export function showJoining(code, enter, leave) {
  const show = on => { byId('joining').hidden = !on; };
  byId('device').value = deviceHere();
  show(true);
  byId('device').select();
  byId('join-not').onclick = () => { show(false); leave(); };
  byId('join').onsubmit = async event => {
    event.preventDefault();
    const button = event.target.querySelector('button');
    button.disabled = true;
    setText(byId('join-problem'), '');
    try {
      const body = JSON.stringify({ code, device: byId('device').value.trim() });
      const got = await ask('/page/api/join', { method: 'POST', body }, '');
      pass.set(got.pass);
      setText(byId('welcome-pass'), got.pass);
      byId('welcome').hidden = false;
      show(false);
      enter();
    } catch (e) {
      setText(byId('join-problem'), e.message);
    }
    button.disabled = false;
  };
}

export function hideWelcome() {
  setText(byId('welcome-pass'), '');
  setText(byId('copy-welcome'), 'Copy the pass');
  byId('welcome').hidden = true;
}

byId('copy-welcome').onclick = () => {
  setText(byId('copy-welcome'), copy(byId('welcome-pass').textContent) ? 'Copied' : 'Select it and copy');
};
byId('welcome-done').onclick = hideWelcome;

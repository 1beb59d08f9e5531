// The reader's own passes, and rotating one.

import { ask, pass } from './api.js';
import { byId, copy, fill, make, setText } from './dom.js';
import { date } from './words.js';

let current = ''; // the pass that this tab signed in with

export async function loadPasses(passId) {
  current = passId;
  const passes = await ask('/page/api/passes');
  fill(byId('passes'), passes, p => p.id, begin, update);
}

function begin(p) {
  const rotate = make('button', '', 'Rotate');
  rotate.type = 'button';
  rotate.setAttribute('aria-label', 'Rotate the pass ' + p.id);
  rotate.onclick = () => replace(p, rotate);
  return make('li', 'top', make('span', '', make('span', 'name'), make('div', 'quiet')), rotate);
}

function update(e, p) {
  const notes = ['made ' + date(new Date(p.createdAt))];
  if (p.lastUsedAt) notes.push('last used ' + date(new Date(p.lastUsedAt)));
  if (p.expiresAt) notes.push('good until ' + date(new Date(p.expiresAt)));
  if (p.id === current) notes.push('used here');
  setText(e.firstChild.firstChild, (p.label ? p.label + ' · ' : '') + 'pdm_' + p.id + '_…');
  setText(e.firstChild.lastChild, notes.join(', '));
}

async function replace(p, button) {
  if (!confirm('End the pass pdm_' + p.id + '_… at once, and make a new one? Every tool that has it must be given the new one.')) return;
  button.disabled = true;
  setText(byId('pass-problem'), '');
  try {
    const fresh = await ask('/page/api/passes/' + p.id + '/rotate', { method: 'POST' });
    if (p.id === current) {
      pass.set(fresh.pass);
      current = fresh.id;
      document.dispatchEvent(new Event('pass-changed'));
    }
    setText(byId('fresh-pass'), fresh.pass);
    byId('fresh').hidden = false;
    byId('copy-fresh').focus();
    await loadPasses(current);
  } catch (e) {
    setText(byId('pass-problem'), e.message);
    button.disabled = false;
  }
}

byId('copy-fresh').onclick = () => {
  setText(byId('copy-fresh'), copy(byId('fresh-pass').textContent) ? 'Copied' : 'Select it and copy');
};

export function hideFresh() {
  setText(byId('fresh-pass'), '');
  setText(byId('copy-fresh'), 'Copy the new pass');
  byId('fresh').hidden = true;
}

byId('fresh-done').onclick = hideFresh;

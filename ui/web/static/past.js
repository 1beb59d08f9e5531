// The past: recent refusals with their reasons, and the last 30 days.

import { byId, fill, make, setText } from './dom.js';
import { clock, group, plural, toolName } from './words.js';

export function showRefusals(refusals, now) {
  const at = new Date(now);
  byId('no-refusals').hidden = refusals.length > 0;
  fill(byId('refusals'), refusals, r => r.at + r.reason + r.modelId, () => make('li', '',
    make('div', 'top', make('span', 'name'), make('span', 'quiet')), make('div')), (e, r) => {
    const over = r.resetsAt && new Date(r.resetsAt) <= at;
    setText(e.firstChild.firstChild, r.modelId || 'This gateway');
    setText(e.firstChild.lastChild, clock(new Date(r.at), at) + (r.tool ? ', ' + toolName(r.tool) : '') + (over ? ', over' : ''));
    setText(e.lastChild, r.words || r.reason);
  });
}

export function showDays(days) {
  const most = Math.max(1, ...days.map(d => d.tokens));
  const write = d => d.day + ': ' + plural(d.requests, 'request', 'requests') + ', ' + plural(d.tokens, 'token', 'tokens');
  fill(byId('days'), days, d => d.day, () => make('i'), (e, d) => {
    e.style.height = Math.max(d.tokens > 0 ? 3 : 0, 100 * d.tokens / most) + '%';
    e.title = write(d);
  });
  const total = (field) => days.reduce((sum, d) => sum + d[field], 0);
  setText(byId('days-sum'), plural(total('tokens'), 'token', 'tokens') + ' in ' + plural(total('requests'), 'request', 'requests') +
    '; at most ' + plural(Math.max(...days.map(d => d.tokens)), 'token', 'tokens') + ' on one day.');

  const used = days.filter(d => d.requests > 0).reverse();
  fill(byId('day-rows'), used, d => d.day, () => make('tr', '', make('td'), make('td', 'figure'), make('td', 'figure')), (e, d) => {
    setText(e.children[0], d.day);
    setText(e.children[1], group(d.requests));
    setText(e.children[2], group(d.tokens));
  });
}

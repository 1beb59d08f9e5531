// Today: each model's budgets as bars, the purse, credit, and what runs.

import { byId, fill, make, setText } from './dom.js';
import { countdown, dollars, group, plural, toolName } from './words.js';

// level tells how a budget stands; near begins at 80 %, used and held together.
function level(b) {
  if (b.max === null) return 'unlimited';
  if (b.max <= 0) return 'barred';
  if (b.used + b.held >= b.max) return 'spent';
  return b.used + b.held >= 0.8 * b.max ? 'near' : 'calm';
}

function newBudget() {
  return make('div', 'budget',
    make('div', 'sum', make('span'), make('span')),
    make('div', 'bar', make('i'), make('i')),
    make('div', 'quiet sum', make('span')));
}

// showBudget writes one budget: used of its limit, the bar, and what is held by running requests.
function showBudget(e, b) {
  const [sum, bar, below] = e.children;
  const at = level(b);
  const write = b.money ? dollars : group;
  const unit = b.money ? '' : ' ' + b.unit;
  const left = write(Math.max(0, b.max - b.used - b.held));
  const tail = { unlimited: 'no limit', barred: 'not allowed', spent: 'spent', near: left + ' left', calm: left + ' left' }[at];
  setText(sum.firstChild, at === 'unlimited' || at === 'barred' ? write(b.used) + unit : write(b.used) + ' of ' + write(b.max) + unit);
  setText(sum.lastChild, tail);
  sum.lastChild.className = at;
  setText(below.firstChild, b.held ? write(b.held) + ' held by what runs' : '');
  below.hidden = !b.held;

  const share = n => (b.max > 0 ? Math.min(100, Math.max(0, 100 * n / b.max)) : 0);
  bar.className = 'bar is-' + at;
  bar.children[0].style.width = share(b.used) + '%';
  bar.children[1].style.width = Math.min(share(b.held), 100 - share(b.used)) + '%';
}

const budgetsOf = m => [
  { unit: 'requests', used: m.usedRequests, held: m.heldRequests, max: m.maxRequests },
  { unit: 'tokens', used: m.usedTokens, held: m.heldTokens, max: m.maxTokens },
].filter((b, i, both) => {
  // Without any limit, tokens tell the most; else only what is limited is of interest.
  if (both[0].max === null && both[1].max === null) return b.unit === 'tokens';
  return b.max !== null;
});

export function showUsage(usage) {
  fill(byId('models'), usage.models, m => m.modelId, () => make('li', 'model', make('div', 'name', make('span'), make('code', 'id')), make('div')), (e, m) => {
    const titled = m.title && m.title !== m.modelId;
    setText(e.firstChild.firstChild, titled ? m.title : m.modelId);
    setText(e.firstChild.lastChild, titled ? m.modelId : '');
    fill(e.lastChild, budgetsOf(m), b => b.unit, newBudget, showBudget);
  });
  byId('no-models').hidden = usage.models.length > 0;

  const money = [];
  if (usage.purse) {
    money.push({ key: 'purse', name: 'Money for all models', money: true, used: usage.purse.usedMicroUSD, held: usage.purse.heldMicroUSD, max: usage.purse.maxMicroUSD });
  }
  if (usage.credit) money.push({ key: 'credit', credit: usage.credit });
  fill(byId('purse'), money, m => m.key, () => make('div'), (e, m) => {
    if (m.credit) {
      setText(e, dollars(m.credit.balanceMicroUSD) + ' of credit left, for when the day is spent');
      return;
    }
    if (!e.firstChild) e.append(make('div', 'name', m.name), newBudget());
    showBudget(e.lastChild, m);
  });
}

export function showRunning(running, now) {
  byId('running-part').hidden = running.length === 0;
  fill(byId('running'), running, r => r.requestId, () => make('li', 'top', make('span', 'name'), make('span', 'quiet sum')), (e, r) => {
    setText(e.firstChild, r.modelId);
    const by = r.tool ? toolName(r.tool) + ', ' : '';
    setText(e.lastChild, by + countdown(now - new Date(r.started)) + ', ' + plural(r.outputTokens, 'token', 'tokens') + ' so far');
  });
}

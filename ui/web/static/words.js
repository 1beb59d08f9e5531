// Figures and times as people read them, in the words of the window.

export function group(n) {
  return String(n).replace(/\B(?=(\d{3})+$)/g, ',');
}

// dollars writes micro-dollars: to the cent, or finer where a cent is too coarse.
export function dollars(micro) {
  const sign = micro < 0 ? '-$' : '$';
  const n = Math.abs(micro);
  const rest = n % 1e6;
  const whole = group(Math.floor(n / 1e6));
  if (rest % 1e4 === 0 || n >= 1e7) return sign + whole + '.' + String(Math.floor(rest / 1e4)).padStart(2, '0');
  return sign + whole + '.' + String(rest).padStart(6, '0').replace(/0+$/, '');
}

export function countdown(ms) {
  const s = Math.max(0, Math.ceil(ms / 1000));
  const two = n => String(n).padStart(2, '0');
  if (s < 60) return s + ' s';
  if (s < 3600) return Math.floor(s / 60) + ' min ' + two(s % 60) + ' s';
  return Math.floor(s / 3600) + ' h ' + two(Math.floor(s % 3600 / 60)) + ' min ' + two(s % 60) + ' s';
}

// clock is a moment in the reader's own time; with its date where that is not today's.
export function clock(at, now) {
  const time = at.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
  return at.toDateString() === now.toDateString() ? time : date(at) + ', ' + time;
}

export function date(at) {
  return at.toLocaleDateString([], { day: 'numeric', month: 'short', year: 'numeric' });
}

export function plural(n, one, many) {
  return group(n) + ' ' + (n === 1 ? one : many);
}

// toolName is what a person would call the tool of a User-Agent.
export function toolName(agent) {
  return agent.indexOf('Mozilla/') === 0 ? 'a browser' : agent.split(/[\s/(]/)[0];
}

// nameOf is what a model is called: its title, with its id in reach where that says something else.
export const nameOf = m => (m.title && m.title !== m.modelId ? m.title + ' (' + m.modelId + ')' : m.modelId);

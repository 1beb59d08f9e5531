// A few short cuts to the document. Text is set as text; there is no way here to set markup.

export const byId = id => document.getElementById(id);

// make returns an element with a class, and with children: elements or text.
export function make(tag, className, ...children) {
  const e = document.createElement(tag);
  if (className) e.className = className;
  e.append(...children);
  return e;
}

// setText changes what an element says, if it says something else: screen readers are told of
// changes alone.
export function setText(e, text) {
  if (e.textContent !== text) e.textContent = text;
}

// fill makes a list hold one element for each item, in order. An element that is there for the
// item's key is kept, so that focus and motion survive.
export function fill(list, items, keyOf, begin, update) {
  const old = new Map(Array.from(list.children, e => [e.dataset.key, e]));
  items.forEach((item, i) => {
    const key = String(keyOf(item));
    let e = old.get(key);
    if (!e) {
      e = begin(item);
      e.dataset.key = key;
    }
    old.delete(key);
    update(e, item);
    if (list.children[i] !== e) list.insertBefore(e, list.children[i] || null);
  });
  old.forEach(e => e.remove());
}

// choices makes a select offer values, each with its text, and keeps what was chosen if that is still
// among them.
export function choices(select, offered) {
  const now = Array.from(select.options, o => o.value + '\t' + o.text);
  if (now.join('\n') === offered.map(o => o.value + '\t' + o.text).join('\n')) return;
  const chosen = select.value;
  select.length = 0;
  offered.forEach(o => select.append(new Option(o.text, o.value)));
  if (offered.some(o => o.value === chosen)) select.value = chosen;
}

// copy puts text on the clipboard. The old command is the one that also works at an http address,
// where navigator.clipboard is not there.
export function copy(text) {
  const field = make('textarea');
  field.value = text;
  field.className = 'offstage';
  field.setAttribute('aria-hidden', 'true');
  const focused = document.activeElement;
  document.body.append(field);
  field.select();
  const done = document.execCommand('copy');
  field.remove();
  if (focused) focused.focus();
  return done;
}

// What the page asks of the gateway. The pass is kept for this tab alone, and sent in a header.

const slot = 'perdiem.pass';

export const pass = {
  get: () => sessionStorage.getItem(slot),
  set: secret => sessionStorage.setItem(slot, secret),
  forget: () => sessionStorage.removeItem(slot),
};

// Refused is an answer that says no, in words for the reader. Status 0: no answer came.
export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

// send asks with the pass, and returns the response if it is a yes.
export async function send(path, options, secret = pass.get()) {
  const headers = secret ? { Authorization: 'Bearer ' + secret } : {};
  if (options && options.body) headers['Content-Type'] = 'application/json';
  let response;
  try {
    response = await fetch(path, Object.assign({ headers, cache: 'no-store' }, options));
  } catch (e) {
    if (e.name === 'AbortError') throw e;
    throw new Refused(0, 'The gateway does not answer.');
  }
  if (response.ok) return response;
  throw new Refused(response.status, wordsOf(await response.json().catch(() => null)));
}

export async function ask(path, options, secret) {
  return (await send(path, options, secret)).json();
}

// wordsOf reads an error in either shape: the page's own, or that of the gateway's dialects.
export function wordsOf(body) {
  const error = body && body.error;
  return (error && error.message) || (typeof error === 'string' && error) || 'The gateway gave no reason.';
}

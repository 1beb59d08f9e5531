// A box to try a model: a streamed chat request, through the same gates as any tool's.

import { send, wordsOf } from './api.js';
import { byId, choices, setText } from './dom.js';

let leaving = null; // ends what runs; null where nothing does

export function offerToTry(models) {
  choices(byId('try-model'), models);
  byId('ask').disabled = models.length === 0 || leaving !== null;
}

// events reads the data of each server-sent event.
async function events(body, each) {
  const reader = body.getReader();
  const text = new TextDecoder();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + text.decode(value, { stream: true })).split(/\r?\n/);
    rest = lines.pop();
    lines.filter(l => l.indexOf('data:') === 0).forEach(l => each(l.slice(5).trim()));
  }
}

async function run(model, question) {
  leaving = new AbortController();
  const answer = byId('answer');
  setText(answer, '');
  answer.hidden = false;
  setText(byId('try-problem'), '');
  byId('ask').disabled = true;
  byId('stop').hidden = false;
  try {
    const response = await send('/v1/chat/completions', {
      method: 'POST', signal: leaving.signal,
      body: JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: question }] }),
    });
    await events(response.body, data => {
      if (data === '[DONE]') return;
      const event = JSON.parse(data);
      if (event.error) throw new Error(wordsOf(event));
      const choice = event.choices && event.choices[0];
      if (choice && choice.delta && choice.delta.content) answer.append(choice.delta.content);
    });
  } catch (e) {
    if (e.name !== 'AbortError') setText(byId('try-problem'), e.message);
  }
  answer.hidden = answer.textContent === '';
  leaving = null;
  byId('ask').disabled = false;
  byId('stop').hidden = true;
}

export function stopTrying() {
  if (leaving) leaving.abort();
}

byId('try').onsubmit = event => {
  event.preventDefault();
  if (!leaving) run(byId('try-model').value, byId('question').value);
};
byId('stop').onclick = stopTrying;

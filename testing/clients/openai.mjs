// Asks a gateway with OpenAI's JavaScript SDK, set up as a user would, and prints what the SDK made
// of the answer as one line of JSON.
// usage: node openai.mjs complete|stream BASE_URL PASS MODEL
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

// The SDK is installed apart from the sources; PERDIEM_TEST_JS names that folder.
const require = createRequire(pathToFileURL(join(process.env.PERDIEM_TEST_JS, 'package.json')));
const { default: OpenAI } = await import(pathToFileURL(require.resolve('openai')));

const [mode, baseURL, apiKey, model] = process.argv.slice(2);
const client = new OpenAI({ baseURL, apiKey });
const messages = [{ role: 'user', content: 'Say a few words.' }];

async function ask() {
  if (mode === 'complete') {
    const answer = await client.chat.completions.create({ model, messages });
    return { text: answer.choices[0].message.content, finish: answer.choices[0].finish_reason, usage: answer.usage };
  }
  let text = '', finish = null, chunks = 0;
  for await (const chunk of await client.chat.completions.create({ model, messages, stream: true })) {
    chunks++;
    text += chunk.choices[0].delta.content ?? ''; // throws on a chunk that we did not ask for
    finish = chunk.choices[0].finish_reason ?? finish;
  }
  return { text, finish, chunks };
}

try {
  console.log(JSON.stringify(await ask()));
} catch (error) {
  const { status, message, type, code, param } = error;
  console.log(JSON.stringify({ error: { name: error.constructor.name, status, message, type, code, param } }));
}

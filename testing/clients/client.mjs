// What the SDKs' scripts share: finding an SDK, and telling what it made of an answer.
// usage of each script: node SDK.mjs HOW BASE_URL PASS MODEL
//   HOW is complete, stream or tool, and what else the script names; BASE_URL ends in /v1
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [, , how, baseURL, pass, model] = process.argv;
export { how, baseURL, pass, model };
export const root = baseURL.replace(/\/v1$/, '');
export const question = 'Say a few words.';
export const parameters = { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] };
export const tool = { name: 'look_up', description: 'Looks a word up.' };

// The SDKs are installed apart from the sources; PERDIEM_TEST_JS names that folder.
const require = createRequire(pathToFileURL(join(process.env.PERDIEM_TEST_JS, 'package.json')));
export const sdk = name => import(pathToFileURL(require.resolve(name)));

// tell runs one way to ask and prints what came of it, as one line of JSON: text, finish, tool, args, tokens,
// or the error as the SDK shows it, after the text that came before it.
export async function tell(ways) {
  const said = { text: '' };
  try {
    await ways[how](said);
  } catch (error) {
    said.error = { name: error.constructor.name, status: error.status ?? error.statusCode, message: error.message, type: error.type, code: error.code && String(error.code) };
  }
  console.log(JSON.stringify(said));
}

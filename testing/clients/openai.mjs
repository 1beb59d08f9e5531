// Asks with OpenAI's SDK: chat completions, responses (its ways begin with "responses"), embeddings.
import { baseURL, model, parameters, pass, question, sdk, tell, tool } from './client.mjs';

const { default: OpenAI } = await sdk('openai');
const client = new OpenAI({ baseURL, apiKey: pass });
const messages = [{ role: 'user', content: question }];

async function respond(said, more) {
  const answer = await client.responses.create({ model, input: question, ...more });
  const call = answer.output.find(item => item.type === 'function_call');
  Object.assign(said, { text: answer.output_text, finish: answer.status, tool: call?.name, args: call?.arguments });
}

await tell({
  async complete(said) {
    const answer = await client.chat.completions.create({ model, messages });
    Object.assign(said, { text: answer.choices[0].message.content, finish: answer.choices[0].finish_reason });
  },
  async stream(said) {
    for await (const chunk of await client.chat.completions.create({ model, messages, stream: true })) {
      said.text += chunk.choices[0].delta.content ?? ''; // throws on a chunk that we did not ask for
      said.finish = chunk.choices[0].finish_reason ?? said.finish;
    }
  },
  async tool(said) {
    const tools = [{ type: 'function', function: { ...tool, parameters } }];
    const answer = await client.chat.completions.stream({ model, messages, tools }).finalChatCompletion();
    const call = answer.choices[0].message.tool_calls[0].function;
    Object.assign(said, { finish: answer.choices[0].finish_reason, tool: call.name, args: call.arguments });
  },
  async embed(said) { // asks for base64, and decodes it
    const answer = await client.embeddings.create({ model, input: question });
    Object.assign(said, { text: answer.data[0].embedding.join(' '), tokens: answer.usage.total_tokens });
  },
  'responses-complete': said => respond(said, {}),
  'responses-tool': said => respond(said, { tools: [{ type: 'function', ...tool, parameters, strict: false }] }),
  async 'responses-stream'(said) {
    for await (const event of await client.responses.create({ model, input: question, stream: true })) {
      if (event.type === 'response.output_text.delta') said.text += event.delta;
      if (event.type === 'response.completed') said.finish = event.response.status;
      if (event.type === 'response.failed') throw Object.assign(new Error(event.response.error.message), event.response.error);
    }
  },
});

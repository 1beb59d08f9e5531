// Asks with Anthropic's SDK: messages, and counting tokens.
import { model, parameters, pass, question, root, sdk, tell, tool } from './client.mjs';

const { default: Anthropic } = await sdk('@anthropic-ai/sdk');
const client = new Anthropic({ baseURL: root, apiKey: pass });
const params = { model, max_tokens: 1000, messages: [{ role: 'user', content: question }] };

await tell({
  async complete(said) {
    const answer = await client.messages.create(params);
    Object.assign(said, { text: answer.content[0].text, finish: answer.stop_reason });
  },
  async stream(said) {
    const stream = client.messages.stream(params).on('text', text => { said.text += text; });
    said.finish = (await stream.finalMessage()).stop_reason;
  },
  async tool(said) {
    const answer = await client.messages.stream({ ...params, tools: [{ ...tool, input_schema: parameters }] }).finalMessage();
    const call = answer.content.find(block => block.type === 'tool_use');
    Object.assign(said, { finish: answer.stop_reason, tool: call.name, args: JSON.stringify(call.input) });
  },
  async count(said) {
    said.tokens = (await client.messages.countTokens({ model, messages: params.messages })).input_tokens;
  },
});

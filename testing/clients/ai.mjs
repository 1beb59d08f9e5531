// Asks with the AI SDK through three of its providers: each way begins with openai-, anthropic- or google-.
import { baseURL, model, parameters, pass, question, root, sdk, tell, tool } from './client.mjs';

const { generateText, streamText, jsonSchema, tool: define } = await sdk('ai');
const { createOpenAICompatible } = await sdk('@ai-sdk/openai-compatible');
const { createAnthropic } = await sdk('@ai-sdk/anthropic');
const { createGoogle } = await sdk('@ai-sdk/google');

const vendors = {
  openai: createOpenAICompatible({ name: 'perdiem', baseURL, apiKey: pass }),
  anthropic: createAnthropic({ baseURL, apiKey: pass }),
  google: createGoogle({ baseURL: root + '/v1beta', apiKey: pass }),
};

const ways = {};
for (const [vendor, provider] of Object.entries(vendors)) {
  const params = { model: provider(model), prompt: question, maxOutputTokens: 1000 };
  ways[vendor + '-complete'] = async said => {
    const answer = await generateText(params);
    Object.assign(said, { text: answer.text, finish: answer.finishReason });
  };
  ways[vendor + '-stream'] = async said => {
    const answer = streamText({ ...params, onError() {} }); // it would print the error, too
    for await (const part of answer.stream) {
      if (part.type === 'text-delta') said.text += part.text;
      if (part.type === 'finish') said.finish = part.finishReason;
      if (part.type === 'error') throw part.error instanceof Error ? part.error : Object.assign(new Error(part.error.message ?? JSON.stringify(part.error)), part.error);
    }
  };
  ways[vendor + '-tool'] = async said => {
    const tools = { [tool.name]: define({ description: tool.description, inputSchema: jsonSchema(parameters) }) };
    const answer = await generateText({ ...params, tools });
    const call = answer.toolCalls[0];
    Object.assign(said, { finish: answer.finishReason, tool: call.toolName, args: JSON.stringify(call.input) });
  };
}
await tell(ways);

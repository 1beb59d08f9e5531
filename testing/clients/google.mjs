// Asks with Google's SDK: generating, and counting tokens.
import { model, parameters, pass, question, root, sdk, tell, tool } from './client.mjs';

const { GoogleGenAI } = await sdk('@google/genai');
const { models } = new GoogleGenAI({ apiKey: pass, httpOptions: { baseUrl: root } });
const params = { model, contents: question };

await tell({
  async complete(said) {
    const answer = await models.generateContent(params);
    Object.assign(said, { text: answer.text, finish: answer.candidates[0].finishReason });
  },
  async stream(said) {
    for await (const chunk of await models.generateContentStream(params)) {
      said.text += chunk.text ?? '';
      said.finish = chunk.candidates[0].finishReason ?? said.finish;
    }
  },
  async tool(said) {
    const config = { tools: [{ functionDeclarations: [{ ...tool, parametersJsonSchema: parameters }] }] };
    const answer = await models.generateContent({ ...params, config });
    const call = answer.functionCalls[0];
    Object.assign(said, { finish: answer.candidates[0].finishReason, tool: call.name, args: JSON.stringify(call.args) });
  },
  async count(said) {
    said.tokens = (await models.countTokens(params)).totalTokens;
  },
});

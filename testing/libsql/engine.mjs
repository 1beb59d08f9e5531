// Runs SQL on libSQL's own engine for a test: a line of JSON in, a line of JSON out. Numbers go as
// text, since JSON's lose digits, and bytes as base64. A connection is named by a number of the asker's.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createInterface } from 'node:readline';

// The engine is installed apart from the sources; PERDIEM_TEST_JS names that folder.
const require = createRequire(pathToFileURL(join(process.env.PERDIEM_TEST_JS, 'package.json')));
const Database = require('libsql');

const connections = new Map();
const decode = ({ number, text, bytes }) => {
  if (number !== undefined) return BigInt(number);
  return bytes === undefined ? text ?? null : Buffer.from(bytes, 'base64');
};
const encode = (value) => {
  if (value === null) return {};
  if (typeof value === 'bigint') return { number: String(value) };
  return typeof value === 'string' ? { text: value } : { bytes: Buffer.from(value).toString('base64') };
};

const actions = {
  open({ connection, path }) {
    connections.set(connection, new Database(path));
    return {};
  },
  close({ connection }) {
    connections.get(connection).close();
    connections.delete(connection);
    return {};
  },
  script({ connection, sql }) {
    connections.get(connection).exec(sql);
    return {};
  },
  statement({ connection, sql, args }) {
    const statement = connections.get(connection).prepare(sql);
    // By name: by place libSQL would take $2 for the first if it comes first.
    const named = Object.fromEntries((args ?? []).map((value, i) => [i + 1, decode(value)]));
    if (!statement.reader) return { changes: statement.run(named).changes };
    const columns = statement.columns().map((column) => column.name);
    const rows = statement.safeIntegers(true).raw(true).all(named).map((row) => row.map(encode));
    return { columns, rows };
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  let answer;
  try {
    answer = actions[request.action](request);
  } catch (error) {
    answer = { error: error.message };
  }
  process.stdout.write(JSON.stringify(answer) + '\n');
}

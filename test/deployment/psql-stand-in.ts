import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import pg from 'pg';

/**
 * Runs what a script gives to psql, where psql is not installed: statements with quoted variables, and `\gexec`, which runs the statements
 * that a query returns. Ends at the first error.
 */
const { values } = parseArgs({
  options: { username: { type: 'string' }, set: { type: 'string', multiple: true, default: [] } },
});
const variables = new Map(values.set.map((assignment) => assignment.split(/=(.*)/s, 2) as [string, string]));

const client = new pg.Client({ user: values.username });
await client.connect();
for (const [, statement = '', end] of (await text(process.stdin)).matchAll(/([^;\\]+)(;|\\gexec)/g)) {
  const query = statement.replaceAll(/:'(\w+)'/g, (_, name: string) => pg.escapeLiteral(variables.get(name) ?? ''));
  const { rows } = await client.query<string[]>({ text: query, rowMode: 'array' });
  if (end === '\\gexec') for (const made of rows.flat()) await client.query(made);
}
await client.end();

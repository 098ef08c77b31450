import pg from 'pg';
import { keepPublished, type PublishedEvent, selectPublished } from './published-events.ts';
import { namespaceOf, sharedStack, templateDatabase } from './shared-stack.ts';

export interface TestDatabase extends AsyncDisposable {
  readonly url: string;
  /** Unique in this run. */
  readonly number: number;
  readonly sql: TestPool;
}

/** An empty database with the newest schema, cloned in a moment and dropped at the end. */
export async function testDatabase(template = templateDatabase): Promise<TestDatabase> {
  await using cleanup = new AsyncDisposableStack();
  const { maintenanceUrl } = sharedStack();
  const maintenance = openPool(maintenanceUrl, 1);
  cleanup.defer(() => maintenance.end());

  const number = await nextOf(maintenance, 'test_number');
  const name = `test_${number}`;
  await maintenance.query(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`);
  cleanup.defer(async () => {
    await maintenance.query(`DROP DATABASE ${name} WITH (FORCE)`);
  });
  const url = new URL(maintenanceUrl);
  url.pathname = `/${name}`;
  const sql = openPool(url.href, 4);
  cleanup.defer(() => sql.end());

  cleanup.defer(async () => {
    await keepPublished((await sql.query<PublishedEvent>(selectPublished)).rows);
  });
  const open = cleanup.move();
  return { url: url.href, number, sql, [Symbol.asyncDispose]: () => open.disposeAsync() };
}

/** An idle connection that breaks is replaced; a query on a broken one fails by itself. */
export function openPool(connectionString: string, max: number): TestPool {
  return new TestPool({ connectionString, max }).on('error', () => undefined);
}

/** Connections of a test. */
export class TestPool extends pg.Pool {
  /** Runs a statement with these values as its parameters; returns its rows. */
  async run<Row extends pg.QueryResultRow>(text: TemplateStringsArray, ...values: readonly unknown[]): Promise<Row[]> {
    const numbered = text.map((part, index) => (index === 0 ? part : `$${index}${part}`)).join('');
    return (await this.query<Row>(numbered, [...values])).rows;
  }
}

/** A Temporal namespace that no other stack of this run uses. Throws when all are used. */
export async function unusedNamespace(): Promise<string> {
  const maintenance = openPool(sharedStack().maintenanceUrl, 1);
  try {
    return namespaceOf(await nextOf(maintenance, 'namespace_number'));
  } finally {
    await maintenance.end();
  }
}

async function nextOf(maintenance: pg.Pool, sequence: string): Promise<number> {
  const { rows } = await maintenance.query<{ number: string }>(`SELECT nextval('${sequence}') AS number`);
  return Number(rows[0]?.number);
}

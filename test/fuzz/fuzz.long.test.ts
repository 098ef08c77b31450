import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Exchange, responseProblems } from '../contract/response-problems.ts';
import { auditedChanges } from '../stack/audited-changes.ts';
import { sharedDocument } from '../stack/shared-document.ts';
import { requestsTo } from './requests.ts';
import { send } from './send.ts';
import { type FuzzWorld, fuzzWorld } from './world.ts';

/** `npm run fuzz` sets them; a failure prints the seed. */
const { FUZZ_CASES = '500', FUZZ_SEED } = process.env;

let world: FuzzWorld;
beforeAll(async () => {
  world = await fuzzWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

test('arbitrary bodies, queries and headers never give 5xx, each response is as published, and an invalid field is named', async () => {
  const document = sharedDocument();
  const requests = requestsTo({ document, names: world.pool.names, bodies: world.bodies });
  const isAnsweredWell = fc.asyncProperty(requests, async (plan) => {
    const before = await countAudited(world);
    const exchange = await send(world, plan);
    const audited = (await countAudited(world)) - before;
    const problems = [
      ...responseProblems(document, exchange),
      ...problemsOf(exchange),
      ...auditProblems(exchange, audited),
    ];
    if (problems.length > 0) throw new Error(told(exchange, problems));
    expect(await world.service.api.get('/vaults?limit=1')).toHaveProperty('status', 200);
    if (exchange.status < 300) {
      world.pool.learn(document, exchange);
      if (plan.method !== 'GET') await world.restore();
    }
  });
  await fc.assert(isAnsweredWell, {
    numRuns: Number(FUZZ_CASES),
    ...(FUZZ_SEED !== undefined && { seed: Number(FUZZ_SEED) }),
  });
});

async function countAudited({ service: { sql } }: FuzzWorld): Promise<number> {
  const { rows } = await sql.query<{ count: number }>(`select ${auditedChanges}::int as count`);
  return rows[0]?.count ?? 0;
}

/** Neither a read nor a refusal is recorded as a change, but for the refusal to submit what was frozen by the same request. */
function auditProblems({ method, path, status }: Exchange, audited: number): string[] {
  const changes = status < 300 && !['GET', 'HEAD', 'OPTIONS'].includes(method);
  const mayFreeze = status === 403 && path.includes('/execute');
  return changes || mayFreeze || audited === 0 ? [] : [`the audit log has ${audited} new entries`];
}

function told({ method, path, status, text }: Exchange, problems: readonly string[]): string {
  return `${problems.join('; ')}\n${method} ${path.slice(0, 500)} ${status}\n${text.slice(0, 2_000)}`;
}

interface Refusal {
  readonly error?: { readonly code: string; readonly details?: { readonly errors?: readonly { field: string }[] } };
}

/** No failure of the service; a refused field has its name in the response. */
function problemsOf({ status, text }: Exchange): string[] {
  if (status >= 500) return [`the status is ${status}`];
  if (status !== 400 || !text.startsWith('{"status":"error"')) return [];
  const { error } = JSON.parse(text) as Refusal;
  const isAboutFields = error?.code === 'INVALID_REQUEST' || error?.code === 'INVALID_VAULT_PARAMS';
  return isAboutFields && !namesFields(error) ? ['no field is named'] : [];
}

function namesFields({ details }: NonNullable<Refusal['error']>): boolean {
  const fields = details?.errors ?? [];
  return fields.length > 0 && fields.every(({ field }) => field !== '');
}

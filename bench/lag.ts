import { Client, Connection } from '@temporalio/client';
import { wallClock } from '../src/domain/units/clock.ts';
import { instant, isoText } from '../src/domain/units/instant.ts';
import { fundWallet, person, requestAddAsset } from '../test/vault-lifecycle/participants.ts';
import { createVault } from '../test/vault-lifecycle/vault-requests.ts';
import { until } from '../test/stack/until.ts';
import { quantile, quantiles } from './quantiles.ts';
import { benchStack, type BenchStack } from './stack.ts';

const VAULTS = 50;
const REQUESTS = 100;
/** A window may start up to a minute in the past, so a window of one minute ends seconds after its creation. */
const STARTED_MS_AGO = 45_000;
const minute = { min: 60, max: 604_800 };

/** How late windows close (timer due → status in Postgres), and the cost of adding an asset compared with a bare workflow start. */
export async function lag(print: (line: string) => void): Promise<void> {
  await using stack = await benchStack({
    DURATION_BOUNDS: JSON.stringify({ assetWindow: minute, investmentWindow: minute }),
  });
  await compareWithStart(stack, print);
  await measureLag(stack, print);
}

async function measureLag(stack: BenchStack, print: (line: string) => void): Promise<void> {
  const began = isoText(instant(wallClock.now() - STARTED_MS_AGO));
  const ids: string[] = [];
  for (let made = 0; made < VAULTS; made += 1) {
    const asset = { asset_window_start_time: began, asset_window_duration: '00:00:01' };
    const investment = { investment_start_time: began, investment_window_duration: '00:00:01' };
    ids.push(await createVault(stack, person(1).address, { asset, investment }));
  }
  const { rows: lags } = await until(
    async () => {
      const found = await stack.sql.query<{ lag: number }>(
        `select extract(epoch from recorded_at - ends_at)::float8 * 1000 as lag from windows
          where vault_id = any($1) and closed_at is not null`,
        [ids],
      );
      return found.rows.length === 2 * VAULTS ? found : null;
    },
    { what: 'every window to close', deadlineMs: 120_000 },
  );
  print(`window lag, ${VAULTS} vaults whose windows end at the same instant: ${quantiles(lags.map((row) => row.lag))}`);
}

async function compareWithStart(stack: BenchStack, print: (line: string) => void): Promise<void> {
  const owners = Array.from({ length: REQUESTS }, (_, number) => person(100 + number));
  const policies = await Promise.all(
    owners.map((owner, number) => fundWallet(stack, owner, { ada: 50, assets: { [`Item${number}`]: 1 } })),
  );
  const vaultId = await createVault(stack, person(1).address, { asset: { max_assets: 100 } });
  const connection = await Connection.connect({ address: stack.temporalAddress });
  const client = new Client({ connection });
  const starts: number[] = [];
  const adds: number[] = [];
  for (const [number, owner] of owners.entries()) {
    starts.push(
      await timed(() =>
        client.workflow.start('nothing', { taskQueue: 'bench', workflowId: `bench-${number}`, args: [] }),
      ),
    );
    adds.push(
      await timed(async () => {
        const asset = { policyId: policies[number] ?? '', name: `Item${number}` };
        const { status, body } = await requestAddAsset(stack, vaultId, owner, asset);
        if (status !== 201) throw new Error(`the asset was not accepted: ${JSON.stringify(body)}`);
      }),
    );
  }
  await connection.close();
  print(`add asset:           ${quantiles(adds)}`);
  print(`bare workflow start: ${quantiles(starts)}`);
  print(`add asset / workflow start, p50: ${(quantile(adds, 0.5) / quantile(starts, 0.5)).toFixed(2)}`);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

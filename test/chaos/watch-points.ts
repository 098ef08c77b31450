import pg from 'pg';
import { until } from '../stack/until.ts';
import { changeNumbers, type Point } from './points.ts';

/** First number of the advisory locks of points, beside those of the service. */
const LOCKS = 4711;
const LOOK_MS = 25;

/**
 * Triggers of the test, not of the service: at the commit of a change they wait for whoever holds the lock of that change, and tell that
 * it was committed.
 */
const installed = `
  create table chaos_changes (change text primary key, number integer not null);
  create function chaos_reached() returns trigger language plpgsql security definer as $$
  declare reached text; lock_number integer;
  begin
    reached := case tg_table_name
      when 'chain_transaction_history' then
        (select kind from chain_transactions where id = (to_jsonb(new) ->> 'transaction_id')::uuid) || ' ' || (to_jsonb(new) ->> 'state')
      when 'windows' then (to_jsonb(new) ->> 'kind') || ' window ' || (to_jsonb(new) ->> 'status')
      when 'vaults' then 'vault ' || (to_jsonb(new) ->> 'status')
      when 'proposals' then 'proposal ' || (to_jsonb(new) ->> 'status')
      when 'assets' then 'asset priced'
      when 'settlements' then 'settlement planned'
      when 'unsolicited_outputs' then 'unsolicited output found'
      when 'rotations' then 'rotation ' || case
        when (to_jsonb(new) ->> 'finished_at') is not null then 'finished'
        when (to_jsonb(new) ->> 'changed_at') is not null then 'changed'
        else 'begun' end
      when 'stakes' then 'stake reclaimed'
      when 'investments' then 'investment reclaimed'
      when 'terminations' then case
        when (to_jsonb(new) ->> 'ended_because') is not null then 'claims OVER'
        when (to_jsonb(new) ->> 'claims_opened_at') is not null then 'claims OPEN'
        else 'termination begun' end
      else 'signal to ' || split_part(to_jsonb(new) ->> 'workflow_id', '-', 1) end;
    select number into lock_number from chaos_changes where change = reached;
    if lock_number is not null then
      perform pg_advisory_xact_lock_shared(${LOCKS}, lock_number);
      perform pg_notify('chaos', reached);
    end if;
    return null;
  end $$;
  create constraint trigger chaos after insert on chain_transaction_history
    deferrable initially deferred for each row execute function chaos_reached();
  create constraint trigger chaos after update on windows deferrable initially deferred
    for each row when (old.status is distinct from new.status) execute function chaos_reached();
  create constraint trigger chaos after update on vaults deferrable initially deferred
    for each row when (old.status is distinct from new.status) execute function chaos_reached();
  create constraint trigger chaos after update on proposals deferrable initially deferred
    for each row when (old.status is distinct from new.status) execute function chaos_reached();
  create constraint trigger chaos after update on assets deferrable initially deferred
    for each row when (old.counted_price is null and new.counted_price is not null) execute function chaos_reached();
  create constraint trigger chaos after insert on settlements deferrable initially deferred
    for each row execute function chaos_reached();
  create constraint trigger chaos after insert on unsolicited_outputs deferrable initially deferred
    for each row execute function chaos_reached();
  create constraint trigger chaos after update on rotations deferrable initially deferred
    for each row when (old.begun_at is distinct from new.begun_at or old.changed_at is distinct from new.changed_at
      or old.finished_at is distinct from new.finished_at) execute function chaos_reached();
  create constraint trigger chaos after update on stakes deferrable initially deferred
    for each row when (old.release_reason is distinct from new.release_reason and new.release_reason = 'reclaimed')
    execute function chaos_reached();
  create constraint trigger chaos after update on investments deferrable initially deferred
    for each row when (old.release_reason is distinct from new.release_reason and new.release_reason = 'reclaimed')
    execute function chaos_reached();
  create constraint trigger chaos_begun after insert on terminations deferrable initially deferred
    for each row execute function chaos_reached();
  create constraint trigger chaos after update on terminations deferrable initially deferred
    for each row when (old.claims_opened_at is distinct from new.claims_opened_at or old.ended_because is distinct from new.ended_because)
    execute function chaos_reached();
  create constraint trigger chaos after update on workflow_notices deferrable initially deferred
    for each row when (old.sent_at is null and new.sent_at is not null) execute function chaos_reached();`;

/**
 * Called at a point that is reached. Before a commit, whoever commits waits meanwhile; after `lose` its connection is lost, as that of a
 * process which was killed (Postgres itself would notice it only when nobody holds the lock any more), and every other change is
 * committed without a wait until the point is over: what starts again may need what these changes hold.
 */
export type OnReached = (point: Point, lose: () => Promise<void>) => Promise<void>;

export const nothingToLose = (): Promise<void> => Promise.resolve();

/** Watches the points of commits in a database, each until it is reached once. */
export async function watchPoints(databaseUrl: string, wanted: readonly Point[], onReached: OnReached) {
  const left = new Map(wanted.map((point) => [`${point.moment}: ${point.change}`, point]));
  const take = (moment: Point['moment'], change: string | undefined) => {
    const point = left.get(`${moment}: ${change}`);
    left.delete(`${moment}: ${change}`);
    return point;
  };
  const closing = new AbortController();
  const failed: string[] = [];
  /** Changes whose commits wait for the watcher. */
  const held = new Set<string>();
  let session = await connect();
  await session.query(installed);
  const changes = [...changeNumbers];
  await session.query('insert into chaos_changes select * from unnest($1::text[], $2::int[])', [
    changes.map(([change]) => change),
    changes.map(([, number]) => number),
  ]);
  await arm();

  async function connect(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: databaseUrl, keepAlive: true });
    client.on('error', () => undefined);
    client.on('notification', ({ payload }) => {
      const point = take('after its commit', payload);
      if (point) queue(() => stopAt(point, null));
    });
    await client.connect();
    await client.query('listen chaos');
    return client;
  }

  /** Takes what it can: whoever holds one of these locks may wait for another. The next check takes the rest. */
  async function arm(): Promise<void> {
    for (const { moment, change } of left.values()) {
      if (moment !== 'before its commit' || held.has(change)) continue;
      const { rows } = await session.query<{ taken: boolean }>('select pg_try_advisory_lock($1, $2) as taken', [
        LOCKS,
        changeNumbers.get(change),
      ]);
      if (rows[0]?.taken) held.add(change);
    }
  }

  let working = Promise.resolve();
  function queue(work: () => Promise<void>): void {
    working = working.then(work).catch((error: unknown) => {
      failed.push(String(error));
    });
  }

  /** The changes whose commit waits for the watcher. */
  async function waiting(): Promise<readonly { readonly change: string; readonly pid: number }[]> {
    const { rows } = await session.query<{ change: string; pid: number }>(
      `select change, pid from pg_locks join chaos_changes on number = objid::int
        where locktype = 'advisory' and classid::int = $1 and not granted
        and database = (select oid from pg_database where datname = current_database())`,
      [LOCKS],
    );
    return rows;
  }

  async function stopAt(point: Point, pid: number | null): Promise<void> {
    await onReached(point, async () => {
      if (pid !== null) await session.query('select pg_terminate_backend($1)', [pid]);
      await session.query('select pg_advisory_unlock_all()');
      held.clear();
    });
  }

  async function look(): Promise<void> {
    await arm();
    for (const { change, pid } of await waiting()) {
      const point = held.has(change) ? take('before its commit', change) : undefined;
      if (point === undefined) continue;
      await stopAt(point, pid);
      if (held.delete(change))
        await session.query('select pg_advisory_unlock($1, $2)', [LOCKS, changeNumbers.get(change)]);
    }
  }

  async function reconnect(): Promise<void> {
    await session.end().catch(() => undefined);
    held.clear();
    session = await until(connect, { what: 'Postgres to be back' });
  }

  const looking = (async () => {
    while (!closing.signal.aborted) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      const looked = new Promise<void>((resolve) => {
        queue(() => look().catch(reconnect).finally(resolve));
      });
      await looked;
    }
  })();

  return {
    /** Stops something at a point of another watcher, when no other stop is under way. */
    stopAt: (point: Point) =>
      new Promise<void>((resolve) => {
        queue(() => stopAt(point, null).finally(resolve));
      }),
    /** Why something could not be stopped, or did not come back. */
    failed,
    /** Those that were not reached. */
    left: (): readonly Point[] => [...left.values()],
    async [Symbol.asyncDispose]() {
      closing.abort();
      await looking;
      await working;
      await session.end().catch(() => undefined);
    },
  };
}

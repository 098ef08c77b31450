import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { z } from 'zod';
import { formatApiKey, hashSecret, parseApiKey } from '../../src/access/api-keys.ts';
import { hashSessionToken, newSessionToken, sessionTimes } from '../../src/access/sessions.ts';
import { wallClock, type Clock } from '../../src/platform/units/time.ts';
import { createAuthenticator } from '../../src/access/authentication.ts';
import { apiReleases, type Release } from '../../src/versions/rules.ts';
import { createIds } from '../../src/platform/units/ids.ts';
import { created, noContent, ok, routeFor } from '../../src/platform/http/route.ts';
import { type AppOptions, type ServerContext, createApp, type RouteLists } from '../../src/platform/http/app.ts';
import { clientAddresses } from '../../src/platform/http/client-address.ts';
import { specRateLimits } from '../../src/platform/http/rate-limiter.ts';
import { withContracts } from '../../src/platform/openapi/route.ts';
import { startServer } from '../../src/platform/http/server.ts';
import { createLogger, correlationId as currentCorrelationId } from '../../src/platform/observability/logger.ts';
import { type NewApiKey, insertApiKey } from '../../src/access/queries/api-keys.ts';
import { insertSession } from '../../src/access/queries/sessions.ts';
import { openDatabase } from '../../src/platform/database/database.ts';
import { ServiceError } from '../../src/platform/errors.ts';
import { testLog } from '../stack/test-log.ts';
import { fetchOf } from './fetch-of.ts';
import { createUnitOfWork, productionClock, type UnitOfWork } from '../../src/platform/database/unit-of-work.ts';

interface NotesContext extends ServerContext {
  unitOfWork: UnitOfWork;
  /** Called before the transaction of a new note, where a change asks outside for what it needs. */
  beforeWriting: () => Promise<void>;
  /** Called inside the transaction of a new note. */
  whileWriting: (text: string) => Promise<void>;
}

const ids = createIds({ clock: wallClock, random: randomBytes });
const route = routeFor<NotesContext>();

const NewNote = z.strictObject({
  text: z.string().min(1).max(60_000),
  stars: z.int().min(0).max(5).optional(),
  tags: z.array(z.strictObject({ name: z.string() })).optional(),
});
const Note = z.object({ id: z.string(), text: z.string() }).meta({ id: 'Note' });
const NoteId = z.strictObject({ noteId: z.uuid() });

const addNote = route({
  method: 'post',
  path: '/notes',
  operationId: 'addNote',
  summary: 'Add a note',
  permission: { resource: 'vault', action: 'CREATE' },
  body: NewNote,
  responses: { 201: Note },
  errors: ['MAX_ASSETS_REACHED'],
  async handle({ body, idempotency }, { unitOfWork, beforeWriting, whileWriting }) {
    await beforeWriting();
    return unitOfWork(({ tx }) =>
      idempotency.once(tx, async () => {
        const id = ids.next();
        await sql`insert into notes values (${id}, ${body.text})`.execute(tx);
        await whileWriting(body.text);
        return created({ id, text: body.text });
      }),
    );
  },
});

const readNote = route({
  method: 'get',
  path: '/notes/:noteId',
  operationId: 'readNote',
  summary: 'Read a note',
  permission: {
    resource: 'vault',
    action: 'READ',
    attributes: async ({ noteId }, { db }) => ({
      status: (await findText({ noteId, db })) === 'active' ? 'ACTIVE' : 'LOCKED',
    }),
  },
  params: NoteId,
  query: z.strictObject({ page: z.coerce.number().int().min(1).default(1) }),
  responses: { 200: Note },
  errors: ['ASSET_NOT_FOUND'],
  handle: async ({ params }, { db }) => ok({ id: params.noteId, text: await findText({ ...params, db }) }),
});

const removeNote = route({
  method: 'delete',
  path: '/notes/:noteId',
  operationId: 'removeNote',
  specified: true,
  summary: 'Remove a note',
  permission: { resource: 'vault', action: 'DELETE' },
  params: NoteId,
  responses: { 204: null },
  errors: [],
  handle: ({ params, idempotency }, { unitOfWork }) =>
    unitOfWork(({ tx }) =>
      idempotency.once(tx, async () => {
        await sql`delete from notes where id = ${params.noteId}`.execute(tx);
        return noContent();
      }),
    ),
});

const echoCorrelation = route({
  method: 'post',
  path: '/correlations',
  operationId: 'echoCorrelation',
  summary: 'The correlation id as code deep inside sees it',
  permission: { unrestricted: 'A route of a test' },
  body: z.strictObject({ text: z.string() }),
  kind: 'unrecorded change',
  responses: { 200: z.object({ correlationId: z.string() }) },
  errors: [],
  async handle(_request, { db, logger }) {
    await sql`select pg_sleep(random() * 0.02)`.execute(db);
    logger.info('deep inside');
    return ok({ correlationId: currentCorrelationId() ?? 'none' });
  },
});

const breakDown = route({
  method: 'get',
  path: '/breakdown',
  operationId: 'breakDown',
  summary: 'Fails in a way nobody foresaw',
  permission: { unrestricted: 'A route of a test' },
  responses: { 200: Note },
  errors: [],
  handle: () => Promise.reject(new Error('the password is hunter2')),
});

const forgetOnce = route({
  method: 'post',
  path: '/forgetful',
  operationId: 'forgetOnce',
  summary: 'A handler with the mistake of not answering once',
  permission: { unrestricted: 'A route of a test' },
  responses: { 204: null },
  errors: [],
  handle: () => Promise.resolve(noContent()),
});

const notesRoutes: RouteLists<NotesContext> = withContracts(
  { api: [addNote, readNote, removeNote, echoCorrelation, breakDown, forgetOnce], dev: [], open: [] },
  '0.0.0',
);

const request = fetchOf(notesRoutes);

export interface NotesServiceOptions {
  databaseUrl: string;
  clock?: Clock;
  app?: Partial<AppOptions>;
  releases?: readonly Release[];
  beforeWriting?: () => Promise<void>;
  whileWriting?: (text: string) => Promise<void>;
  /** How long it waits for running requests when it closes. */
  graceSeconds?: number;
}

/** A small service with the real server code: its own routes, real Postgres, a listening server. */
export async function notesService({
  databaseUrl,
  clock = wallClock,
  app = {},
  releases = apiReleases,
  beforeWriting = () => Promise.resolve(),
  whileWriting = () => Promise.resolve(),
  graceSeconds = 10,
}: NotesServiceOptions) {
  const log = testLog('notes');
  const logger = createLogger({ service: 'notes' }, log);
  const db = openDatabase(databaseUrl, (error) => {
    logger.error({ error }, 'idle connection');
  });
  await sql`create table if not exists notes (id uuid primary key, text text not null)`.execute(db);
  const authenticator = createAuthenticator({ db, clock, environment: 'test', defaultWalletRoles: [] });
  const context: NotesContext = {
    db,
    releases,
    authenticator,
    wallClock: clock,
    ids,
    logger,
    unitOfWork: createUnitOfWork(db, productionClock(clock), ids),
    beforeWriting,
    whileWriting,
  };
  const limits = { ...specRateLimits, perCaller: 1e6, perAdmin: 1e6 };
  const options = {
    addressOf: clientAddresses(0),
    corsOrigins: ['https://app.example'],
    rpcOrigin: 'https://ledger.example',
    limits,
  };
  const server = await startServer(createApp(context, notesRoutes, { ...options, ...app }), {
    host: '127.0.0.1',
    port: 0,
    graceSeconds,
  });
  return {
    url: server.url,
    db,
    authenticator,
    logged: () => log.lines.join(''),
    entries: () => log.lines.map((line) => JSON.parse(line) as Record<string, unknown>),
    /** Stores a new API key; returns its text. */
    async key(roles: string[], more: Partial<NewApiKey> = {}) {
      const text = formatApiKey({ environment: 'test', id: ids.next(), secret: randomBytes(32) });
      const { id, environment, secret } = parseApiKey(text)!;
      const createdAt = new Date(clock.now());
      const key = {
        id,
        environment,
        name: 'test',
        secretHash: hashSecret(secret),
        roles,
        createdBy: 'test',
        createdAt,
      };
      await insertApiKey(db, { ...key, ...more });
      return text;
    },
    /** Logs a wallet in; returns the token. */
    async session(wallet: string) {
      const [token, id] = [newSessionToken(), ids.next()];
      const session = { id, wallet, keyHash: '00'.repeat(28), ...sessionTimes(clock.now()) };
      await db.transaction().execute((tx) => insertSession(tx, session, hashSessionToken(token)));
      return token;
    },
    call: (method: string, path: string, { key, session, headers, json, text, signal }: Call = {}) =>
      request(server.url + path, {
        method,
        ...(signal && { signal }),
        headers: {
          ...(key && { 'x-api-key': key }),
          ...(session && { authorization: `Bearer ${session}` }),
          ...(json !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        body: text ?? (json === undefined ? null : JSON.stringify(json)),
      }),
    async countNotes() {
      const { rows } = await sql<{ count: string }>`select count(*) from notes`.execute(db);
      return Number(rows[0]?.count);
    },
    async [Symbol.asyncDispose]() {
      await server.close();
      await db.destroy();
    },
  };
}

interface Call {
  key?: string;
  session?: string;
  headers?: Record<string, string>;
  json?: unknown;
  text?: string;
  signal?: AbortSignal;
}

async function findText({ noteId, db }: { noteId: string; db: NotesContext['db'] }): Promise<string> {
  const { rows } = await sql<{ text: string }>`select text from notes where id = ${noteId}`.execute(db);
  if (!rows[0]) throw new ServiceError('ASSET_NOT_FOUND');
  return rows[0].text;
}

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A client of the pooler. */
interface Client {
  readonly socket: Socket;
  session: Session | null;
  /** Answers that it waits for. */
  asked: number;
}

/** A session of Postgres. */
interface Session {
  readonly socket: Socket;
  owner: Client | null;
}

interface PoolerOptions {
  /** How long a client keeps a session. */
  readonly mode: 'transaction' | 'session';
  readonly passesNotifications?: boolean;
}

/** A connection pooler as small as can be: in transaction mode, a session goes to whoever asks next when its transaction has ended. */
export async function openPooler(databaseUrl: string, { mode, passesNotifications = true }: PoolerOptions) {
  const { port, hostname } = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  const idle: Session[] = [];
  const parameters = new Set<string>();

  function openSession(owner: Client): Session {
    const session: Session = { socket: connect(Number(port), hostname), owner };
    keep(session.socket);
    const messages = messagesOf((message) => {
      const { owner: client } = session;
      if (typeOf(message) === 'A' && !passesNotifications) return;
      client?.socket.write(message);
      if (client === null || typeOf(message) !== 'Z') return;
      client.asked -= 1;
      if (mode === 'session' || client.asked > 0 || message.toString('latin1', 5) !== 'I') return;
      [client.session, session.owner] = [null, null];
      idle.push(session);
    });
    session.socket.on('data', messages);
    return session;
  }

  function keep(socket: Socket): void {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  }

  const server = createServer((socket) => {
    keep(socket);
    const client: Client = { socket, session: null, asked: 1 };
    client.session = openSession(client);
    const messages = messagesOf((message) => {
      const type = typeOf(message);
      if (type === 'X' && mode === 'transaction') return;
      // There are as many sessions as clients came, so one is idle.
      client.session ??= idle.pop() ?? null;
      if (client.session === null) throw new Error('no session is idle');
      client.session.owner = client;
      if (type === 'Q' || type === 'S') client.asked += 1;
      client.session.socket.write(message);
    });
    socket.once('data', (start: Buffer) => {
      for (const name of parameterNames(start)) parameters.add(name);
      client.session?.socket.write(start);
      socket.on('data', messages);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(databaseUrl);
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    /** What clients have asked for in their first message. */
    parameters: () => [...parameters].sort(),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

const typeOf = (message: Buffer) => message.toString('latin1', 0, 1);

/** Splits what a side sends into messages: a letter, a length that counts itself, and the content. */
function messagesOf(take: (message: Buffer) => void): (chunk: Buffer) => void {
  let bytes = Buffer.alloc(0);
  return (chunk) => {
    bytes = Buffer.concat([bytes, chunk]);
    while (bytes.length >= 5 && bytes.length > bytes.readUInt32BE(1)) {
      const end = bytes.readUInt32BE(1) + 1;
      take(bytes.subarray(0, end));
      bytes = bytes.subarray(end);
    }
  };
}

/** The first message of a client: its length, the version of the protocol, and names with values. */
function parameterNames(start: Buffer): string[] {
  const texts = start.toString('utf8', 8).split('\0');
  return texts.filter((name, index) => index % 2 === 0 && name !== '');
}

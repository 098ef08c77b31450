import { connect, type Socket } from 'node:net';
import type { Reader } from './readers.ts';

interface RepeatedGet {
  /** With path and query. */
  readonly url: URL;
  /** Who asks: each connection takes turns between some of them, and no two connections share one unless there are too few. */
  readonly readers: readonly Reader[];
  /** Of every response. */
  readonly status: number;
  readonly connections: number;
  readonly seconds: number;
}

/**
 * Sends a GET again and again over kept connections, one request at a time on each; returns how many were answered in a second. It reads no more
 * of HTTP than it must, so that the server is what is measured. Rejects at a response with another status.
 */
export async function repeatGet({ url, readers, status, connections, seconds }: RepeatedGet): Promise<number> {
  const requests = readers.map((reader) => requestOf(url, reader));
  const began = performance.now();
  const counts = await Promise.all(
    Array.from({ length: connections }, (_, number) => {
      const own = requests.filter((_request, place) => place % connections === number % requests.length);
      const socket = connect({ host: url.hostname, port: Number(url.port), noDelay: true });
      return countResponses(socket, own, status, () => performance.now() < began + seconds * 1000);
    }),
  );
  return (counts.reduce((sum, count) => sum + count, 0) * 1000) / (performance.now() - began);
}

function requestOf(url: URL, reader: Reader): Buffer {
  const lines = Object.entries({ Host: url.host, ...reader }).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`GET ${url.pathname}${url.search} HTTP/1.1\r\n${lines.join('')}\r\n`);
}

function countResponses(
  socket: Socket,
  requests: readonly Buffer[],
  status: number,
  goesOn: () => boolean,
): Promise<number> {
  return new Promise((resolve, reject) => {
    let [count, missing] = [0, 0];
    const send = () => socket.write(requests[count % requests.length] ?? '');
    let begun = Buffer.alloc(0);
    socket.on('error', reject);
    socket.on('close', () => {
      reject(new Error('the server closed a connection'));
    });
    socket.on('connect', send);
    socket.on('data', (chunk) => {
      if (missing > 0) missing -= chunk.length;
      else {
        begun = begun.length === 0 ? chunk : Buffer.concat([begun, chunk]);
        const end = begun.indexOf('\r\n\r\n');
        if (end < 0) return;
        const head = begun.toString('latin1', 0, end);
        if (!head.startsWith(`HTTP/1.1 ${status} `)) reject(new Error(`not ${status}: ${begun.toString()}`));
        missing = end + 4 + Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0) - begun.length;
        begun = Buffer.alloc(0);
      }
      if (missing > 0) return;
      count += 1;
      if (goesOn()) send();
      else {
        resolve(count);
        socket.destroy();
      }
    });
  });
}

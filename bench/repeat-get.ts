import { connect, type Socket } from 'node:net';

interface RepeatedGet {
  /** With path and query. */
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Of every response. */
  readonly status: number;
  readonly connections: number;
  readonly seconds: number;
}

/**
 * Sends a GET again and again over kept connections, one request at a time on each; returns the responses per second. It reads no more
 * of HTTP than it must, so that the server is what is measured. Rejects at a response with another status.
 */
export async function repeatGet({ url, headers, status, connections, seconds }: RepeatedGet): Promise<number> {
  const lines = Object.entries({ Host: url.host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  const request = Buffer.from(`GET ${url.pathname}${url.search} HTTP/1.1\r\n${lines.join('')}\r\n`);
  const began = performance.now();
  const until = began + seconds * 1000;
  const counts = await Promise.all(
    Array.from({ length: connections }, () => {
      const socket = connect({ host: url.hostname, port: Number(url.port), noDelay: true });
      return countResponses(socket, request, status, () => performance.now() < until);
    }),
  );
  const passed = (performance.now() - began) / 1000;
  return counts.reduce((sum, count) => sum + count, 0) / passed;
}

function countResponses(socket: Socket, request: Buffer, status: number, goesOn: () => boolean): Promise<number> {
  return new Promise((resolve, reject) => {
    let [count, missing] = [0, 0];
    let begun = Buffer.alloc(0);
    socket.on('error', reject);
    socket.on('close', () => {
      reject(new Error('the server closed a connection'));
    });
    socket.on('connect', () => socket.write(request));
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
      if (goesOn()) socket.write(request);
      else {
        resolve(count);
        socket.destroy();
      }
    });
  });
}

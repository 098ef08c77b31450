import {
  type IncomingHttpHeaders,
  IncomingMessage,
  type RequestListener,
  type Server,
  ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';

/** The error of Node's parser for a request that it refuses. */
interface ParserError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
  /** Where in the packet it stopped. */
  readonly bytesParsed?: number;
}

/** Responses to what is no HTTP, or comes too slowly. They have no body: nothing of such a request can be relied on. */
const bareResponses: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
};

/**
 * Answers the requests of a server that Node does not pass to it. Node's parser knows the methods of RFCs only, and CONNECT would end the
 * connection: such a request goes through the application, which answers it as it answers TRACE.
 */
export function answerUnparsed(server: Server, listener: RequestListener): void {
  const responses = new WeakMap<Socket, ServerResponse>();
  const refused = new WeakSet<Socket>();
  server.on('request', ({ socket }, response) => responses.set(socket, response));
  server.on('connect', ({ headers, socket }) => {
    // Its address is that of another host.
    answer(listener, { method: 'CONNECT', url: '/', headers }, socket);
  });
  server.on('clientError', (error: ParserError, socket: Socket) => {
    // Each packet that follows is an error again.
    if (refused.has(socket)) return;
    refused.add(socket);
    const response = responses.get(socket);
    const isRunning = response?.writableFinished === false;
    const head = isRunning ? null : unknownMethodHead(error);
    if (!socket.writable || (isRunning && response.headersSent)) {
      socket.destroy(error);
    } else if (head) {
      answer(listener, head, socket);
    } else {
      socket.write(`HTTP/1.1 ${bareResponses[error.code ?? ''] ?? '400 Bad Request'}\r\nConnection: close\r\n\r\n`);
      socket.destroySoon();
    }
  });
}

interface RequestHead {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

/** The head of a request whose method the parser does not know; null for other errors, and when the packet does not start with it. */
function unknownMethodHead({ code, rawPacket, bytesParsed = 0 }: ParserError): RequestHead | null {
  if (code !== 'HPE_INVALID_METHOD' || !rawPacket) return null;
  const lines = rawPacket.toString('latin1').split('\r\n\r\n', 1).join('').split('\r\n');
  const [, method, url] = /^([\w!#$%&'*+.^`|~-]{1,32}) (\S{1,8000}) HTTP\/1\.[01]$/.exec(lines.shift() ?? '') ?? [];
  if (method === undefined || url === undefined || bytesParsed > method.length) return null;
  return { method, url, headers: Object.fromEntries(lines.flatMap(parseHeader)) };
}

function parseHeader(line: string): [name: string, value: string][] {
  const [, name, value] = /^([\w-]+):[ \t]*(.*?)[ \t]*$/.exec(line) ?? [];
  return name === undefined || value === undefined ? [] : [[name.toLowerCase(), value]];
}

function answer(listener: RequestListener, head: RequestHead, socket: Socket): void {
  const request = new IncomingMessage(socket);
  Object.assign(request, { ...head, httpVersion: '1.1', httpVersionMajor: 1, httpVersionMinor: 1 });
  // A body is not read: the connection ends with the response.
  request.push(null);
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.on('finish', () => {
    socket.destroySoon();
  });
  listener(request, response);
}

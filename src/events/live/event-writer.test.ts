import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import { ServiceError } from '../../platform/errors.ts';
import type { LocalResponse } from '../../platform/http/request-locals.ts';
import { createEventWriter } from './event-stream.ts';

test('a stream that is ended twice and written to afterwards sends one reason, and its process continues', async () => {
  const errors: unknown[] = [];
  const refused: unknown[] = [];
  const server = createServer((_request, response) => {
    response.on('error', (error) => errors.push(error));
    const writer = createEventWriter(response as unknown as LocalResponse, new AbortController().signal);
    writer.sendPosition(1);
    writer.end({ code: 'CONSUMER_TOO_SLOW' });
    writer.end({ code: 'SERVICE_STOPPING' });
    writer.sendPosition(2);
    writer.sendLive([]);
    writer.send([]).catch((error: unknown) => refused.push(error));
  }).listen(0, '127.0.0.1');
  try {
    await once(server, 'listening');
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    expect(await response.text()).toBe('id: 1\n\nevent: closed\ndata: {"code":"CONSUMER_TOO_SLOW"}\n\n');
    expect(errors).toEqual([]);
    expect(refused).toEqual([expect.any(ServiceError)]);
  } finally {
    server.close();
  }
});

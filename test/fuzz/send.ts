import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Exchange } from '../contract/response-problems.ts';
import { canaries } from '../secrets/canaries.ts';
import { bytesOf } from './bodies.ts';
import type { RequestPlan } from './requests.ts';
import { Known } from './values.ts';
import type { FuzzWorld } from './world.ts';

const agent = new Agent({ keepAlive: true });

/** Sends a planned request. Node's own client, because fetch corrects what it is given. */
export async function send(world: FuzzWorld, plan: RequestPlan): Promise<Exchange> {
  const body = plan.body && bytesOf(plan.body, world.pool.find);
  const path = addressOf(world, plan);
  const { method } = plan;
  const asked = { ...world.credentials(plan.caller), ...plan.headers };
  const { hostname, port } = new URL(world.url);
  const sent = request({
    agent,
    hostname,
    port,
    method,
    path,
    headers: {
      cookie: canaries.cookie,
      ...(body && { 'content-type': 'application/json', 'content-length': body.length }),
      ...asked,
    },
  });
  sent.end(body ?? undefined);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const headers = new Headers();
  for (let at = 0; at < response.rawHeaders.length; at += 2)
    headers.append(response.rawHeaders[at] ?? '', response.rawHeaders[at + 1] ?? '');
  const status = response.statusCode ?? 0;
  const exchange = { method, path, sent: body && body.toString(), hasKey: new Headers(asked).has('x-api-key') };
  return { ...exchange, status, headers, text: await text(response) };
}

function addressOf(world: FuzzWorld, { path, parameters, query }: RequestPlan): string {
  const filled = (value: Known | string) =>
    value instanceof Known ? encodeURIComponent(world.pool.find(value)) : value;
  const place = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => filled(parameters[name] ?? ''));
  const pairs = query.map(([name, value]) => `${name}=${filled(value)}`);
  return pairs.length === 0 ? place : `${place}?${pairs.join('&')}`;
}

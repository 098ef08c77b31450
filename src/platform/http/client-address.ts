import type { Request } from 'express';
import { ipKeyGenerator } from 'express-rate-limit';
import type { IncomingMessage } from 'node:http';
import { isIP, SocketAddress } from 'node:net';
import type { Caller } from '../../access/rules.ts';

/** The IP address that a request comes from, in its shortest form. */
export type AddressOf = (request: Pick<IncomingMessage, 'headers' | 'socket'>) => string;

/** A log shows no more of a text that should have been an address. */
const SHOWN_CHARACTERS = 64;

/**
 * Reads the addresses of clients from `X-Forwarded-For`: the nearest `trustedProxies` proxies have written its last entries. An entry that
 * holds no address counts as the proxy that wrote it, so that no text gets limits of its own. The first such entry is reported.
 */
export function clientAddresses(
  trustedProxies: number,
  onUnreadable: (seen: { readonly entry: string; readonly proxy: string }) => void = () => undefined,
): AddressOf {
  let isReported = false;
  return ({ headers, socket }) => {
    let address = readAddress(socket.remoteAddress ?? '') ?? 'unknown';
    for (const entry of forwardedEntries(headers, trustedProxies)) {
      const read = readAddress(entry);
      if (read === null && !isReported) {
        isReported = true;
        onUnreadable({ entry: entry.slice(0, SHOWN_CHARACTERS), proxy: address });
      }
      address = read ?? address;
    }
    return address;
  };
}

/** What the trusted proxies have written; the entry of the nearest one comes first. */
function forwardedEntries({ 'x-forwarded-for': header }: IncomingMessage['headers'], trustedProxies: number): string[] {
  if (header === undefined || trustedProxies === 0) return [];
  return String(header).split(',').slice(-trustedProxies).reverse();
}

/** `[address]`, `[address]:port` or `address:port`, as some proxies write it. An IPv6 address with a port has brackets. */
const WITH_PORT = /^(?:\[(?<inBrackets>.+)\](?::\d+)?|(?<v4>[\d.]+):\d+)$/;

/** An address in its shortest form, without port, brackets and zone; an IPv4 address within IPv6 as IPv4. Null for any other text. */
export function readAddress(text: string): string | null {
  const trimmed = text.trim();
  const { inBrackets, v4 } = WITH_PORT.exec(trimmed)?.groups ?? {};
  const address = inBrackets ?? v4 ?? trimmed;
  const version = isIP(address);
  if (version !== 6) return version === 4 ? address : null;
  const { address: shortest } = new SocketAddress({ address: address.replace(/%.*$/, ''), family: 'ipv6' });
  return shortest.replace(/^::ffff:(?=\d+\.)/, '');
}

/** The IP address of a request, or the network of an IPv6 address. */
export function ipOf({ ip = 'unknown' }: Pick<Request, 'ip'>): string {
  return networkOf(ip);
}

/** An IP address, or the network of an IPv6 address. */
export function networkOf(ip: string): string {
  return ipKeyGenerator(ip);
}

/** Who sends requests. */
export interface Client {
  /** As requests are counted: a key alone may be in many hands. */
  readonly name: string;
  readonly ip: string;
}

export function clientOf(request: Parameters<typeof ipOf>[0], { apiKeyId, wallet }: Caller): Client {
  const ip = ipOf(request);
  return { name: `${apiKeyId} ${wallet ?? ip}`, ip };
}

/** The headers that identify a caller, and its IP address. */
export function credentialsOf(
  request: Pick<Request, 'get' | 'ip'>,
  authorization = request.get('Authorization'),
): string {
  return JSON.stringify([request.get('X-API-Key'), authorization, request.ip]);
}

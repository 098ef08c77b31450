import { expect, test } from '@jest/globals';
import { clientAddresses, readAddress } from './client-address.ts';

const request = (forwarded?: string, remoteAddress = '10.0.0.1') =>
  ({
    socket: { remoteAddress },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  }) as unknown as Parameters<ReturnType<typeof clientAddresses>>[0];

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['\t192.0.2.1 ', '192.0.2.1'],
  ['192.0.2.1:4711', '192.0.2.1'],
  ['2001:DB8:0:0::1', '2001:db8::1'],
  ['[2001:db8::1]', '2001:db8::1'],
  ['[2001:db8::1]:4711', '2001:db8::1'],
  ['fe80::1%eth0', 'fe80::1'],
  ['[fe80::1%25eth0]:80', 'fe80::1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['[::FFFF:c000:201]:80', '192.0.2.1'],
  ['0:0:0:0:0:ffff:192.0.2.1', '192.0.2.1'],
])('the address in %j is %s', (text, address) => {
  expect(readAddress(text)).toBe(address);
});

test.each(['', 'unknown', '_hidden', 'example.com', '192.0.2', '192.0.2.256', '0x7f.1', '192.0.2.1/24', '192.0.2.1:x'])(
  '%j is no address',
  (text) => {
    expect(readAddress(text)).toBeNull();
  },
);
test.each(['192.0.2.1:', '[2001:db8::1', '2001:db8::1]:80', '[]:80', '[unknown]:80', '"192.0.2.1"', 'for=192.0.2.1'])(
  '%j is no address either',
  (text) => {
    expect(readAddress(text)).toBeNull();
  },
);

test.each([
  [0, '192.0.2.9', '10.0.0.1'],
  [1, undefined, '10.0.0.1'],
  [1, 'forged, 192.0.2.9:80', '192.0.2.9'],
  [1, '192.0.2.9, unknown', '10.0.0.1'],
  [1, '192.0.2.9, ', '10.0.0.1'],
  [2, '192.0.2.8, [2001:db8::1]:443, 192.0.2.9', '2001:db8::1'],
  [2, '192.0.2.8, unknown, 192.0.2.9', '192.0.2.9'],
  [2, 'unknown, 192.0.2.9', '192.0.2.9'],
  [3, '192.0.2.9', '192.0.2.9'],
])('behind %d proxies, %j comes from %s', (proxies, forwarded, address) => {
  expect(clientAddresses(proxies)(request(forwarded))).toBe(address);
});

test('a text that is no address is reported once, shortened, with the proxy that counts instead', () => {
  const reports: unknown[] = [];
  const addressOf = clientAddresses(1, (seen) => reports.push(seen));
  const addresses = ['x'.repeat(100), 'unknown'].map((text) => addressOf(request(text, '::ffff:10.0.0.2')));
  expect(addresses).toEqual(['10.0.0.2', '10.0.0.2']);
  expect(reports).toEqual([{ entry: 'x'.repeat(64), proxy: '10.0.0.2' }]);
});

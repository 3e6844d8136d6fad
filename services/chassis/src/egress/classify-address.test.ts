import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type AddressClass, classifyAddress } from './classify-address.ts';

const TABLE: Readonly<Record<AddressClass, readonly string[]>> = {
  public: [
    '1.1.1.1',
    '8.8.8.8',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.0',
    '168.63.129.15',
    '168.63.129.17',
    '169.253.255.255',
    '169.255.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '191.255.255.255',
    '192.0.1.0',
    '192.0.3.0',
    '192.167.255.255',
    '192.169.0.0',
    '198.17.255.255',
    '198.20.0.0',
    '198.51.99.255',
    '198.51.101.0',
    '203.0.112.255',
    '203.0.114.0',
    '223.255.255.255',
    '2000::',
    '2001:200::1',
    '2001:4860:4860::8888',
    '2003::1',
    '2606:4700:4700::1111',
    '2620:4f:7fff::1',
    '2a00:1450:4001:80b::200e',
    '3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    '3fff:1000::1',
    '2A00:1450:4001:080B:0000:0000:0000:200E',
    '2a00:1450::1:5efe:7f00:1',
  ],
  'this-network': ['0.0.0.0', '0.0.0.1', '0.255.255.255', '::', '0:0:0:0:0:0:0:0'],
  private: [
    '10.0.0.0',
    '10.0.0.1',
    '10.96.0.1',
    '10.255.255.255',
    '172.16.0.0',
    '172.20.10.2',
    '172.31.255.255',
    '192.168.0.0',
    '192.168.1.1',
    '192.168.255.255',
  ],
  shared: ['100.64.0.0', '100.100.100.200', '100.127.255.255'],
  loopback: [
    '127.0.0.0',
    '127.0.0.1',
    '127.0.0.53',
    '127.255.255.255',
    '::1',
    '0:0:0:0:0:0:0:1',
    '0000::0001',
  ],
  'link-local': [
    '169.254.0.0',
    '169.254.169.254',
    '169.254.170.2',
    '169.254.255.255',
    'fe80::1',
    'fe80::a9fe:a9fe',
    'febf:ffff::1',
  ],
  'protocol-assignment': [
    '192.0.0.0',
    '192.0.0.8',
    '192.0.0.170',
    '192.0.0.192',
    '192.0.0.255',
    '2001:1::1',
    '2001:3::1',
    '2001:4:112::1',
    '2001:10::1',
    '2001:20::1',
    '2001:30::1',
    '2001:1ff:ffff::1',
  ],
  documentation: [
    '192.0.2.1',
    '198.51.100.7',
    '203.0.113.255',
    '2001:db8::1',
    '2001:db8:ffff:ffff::1',
    '3fff::1',
    '3fff:fff:ffff::1',
  ],
  relay: ['192.31.196.1', '192.52.193.1', '192.88.99.1', '192.88.99.255', '192.175.48.6', '2620:4f:8000::6'],
  benchmarking: ['198.18.0.0', '198.18.0.1', '198.19.255.255', '2001:2::1', '2001:2:0:ffff::1'],
  multicast: ['224.0.0.0', '224.0.0.251', '239.255.255.250', 'ff00::', 'ff02::1', 'ff0e::1', 'ffff::1'],
  reserved: ['240.0.0.0', '240.0.0.1', '254.255.255.255', '255.255.255.254', '255.255.255.255'],
  'cloud-metadata': ['168.63.129.16'],
  'embeds-ipv4': [
    // IPv4-compatible
    '::2',
    '::7f00:1',
    '::127.0.0.1',
    '::a9fe:a9fe',
    '::8.8.8.8',
    '::ffff:ffff',
    // IPv4-mapped and IPv4-translated
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:10.0.0.1',
    '::ffff:a9fe:a9fe',
    '::ffff:8.8.8.8',
    '0:0:0:0:0:ffff:7f00:0001',
    '::FFFF:C0A8:0101',
    '::ffff:0:127.0.0.1',
    '::ffff:0:a9fe:a9fe',
    // NAT64
    '64:ff9b::127.0.0.1',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b::8.8.8.8',
    '64:ff9b:1::7f00:1',
    '64:ff9b:1:ffff:ffff::1',
    // Teredo
    '2001::1',
    '2001:0:4136:e378:8000:63bf:3fff:fdd2',
    '2001:0:7f00:1::',
    // 6to4
    '2002::1',
    '2002:7f00:1::',
    '2002:7f00:1::1',
    '2002:a9fe:a9fe::',
    '2002:c0a8:101::1',
    '2002:808:808::1',
    // ISATAP
    '2a00:1450::5efe:7f00:1',
    '2a00:1450::5efe:127.0.0.1',
    '2a00:1450::200:5efe:a9fe:a9fe',
    '2606:4700:1:2:0:5efe:808:808',
  ],
  'unique-local': ['fc00::1', 'fd00::1', 'fd00:ec2::254', 'fd20:ce::254', 'fdff:ffff:ffff::1'],
  'outside-global-unicast': [
    '::1:0:0:0',
    '1::1',
    '64:ff9a::1',
    '64:ff9b:2::1',
    '100::1',
    '100:0:0:1::1',
    '200::1',
    '400::1',
    '1fff:ffff::1',
    '4000::1',
    '5f00::1',
    '8000::1',
    'fbff::1',
    'fe00::1',
    'fec0::1',
    'feff::1',
  ],
  invalid: [
    '',
    ' ',
    '127.1',
    '127.0.1',
    '2130706433',
    '0x7f000001',
    '0x7f.0.0.1',
    '0177.0.0.1',
    '017700000001',
    '127.0.0.01',
    '1.2.3.4 ',
    ' 1.2.3.4',
    '1.2.3.4.',
    '1.2.3.4.5',
    '1.2.3.256',
    '1.2.3.-1',
    '1.2.3.4/32',
    '1.2.3.4:80',
    '①②⑦.0.0.1',
    '[::1]',
    '[2606:4700::1]',
    ':::1',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '2606:4700::1::2',
    '2606:4700::g',
    '2606:4700::1/64',
    '2606:4700::1%eth0',
    'fe80::1%eth0',
    'fe80::1%25eth0',
    '::ffff:127.1',
    '::ffff:0177.0.0.1',
    'localhost',
    'example.com',
    'metadata.google.internal',
    '1.1.1.1\n',
    '1.1.1.1\0',
  ],
};

test('every address form belongs to the expected class', async (t) => {
  const rows = Object.entries(TABLE).flatMap(([expected, addresses]) =>
    addresses.map((address) => ({ address, expected })),
  );
  assert.ok(rows.length >= 150);
  for (const { address, expected } of rows) {
    await t.test(`${JSON.stringify(address)} is ${expected}`, () => {
      assert.equal(classifyAddress(address), expected);
    });
  }
});

test('no IPv6 form that embeds an IPv4 address is public, for any IPv4 address', () => {
  fc.assert(
    fc.property(fc.ipV4(), (ipv4) => {
      const [a = 0, b = 0, c = 0, d = 0] = ipv4.split('.').map(Number);
      const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
      for (const address of [
        `::ffff:${ipv4}`,
        `::${ipv4}`,
        `64:ff9b::${ipv4}`,
        `64:ff9b:1::${ipv4}`,
        `2002:${hex}::1`,
        `2001:0:${hex}::1`,
        `2a00:1450::5efe:${hex}`,
      ]) {
        assert.notEqual(classifyAddress(address), 'public', address);
      }
    }),
  );
});

test('any text is classified without an exception, and only addresses are ever public', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.ipV4Extended(), fc.ipV6()), (text) => {
      if (classifyAddress(text) === 'public') assert.match(text, /^[0-9a-f:.]+$/i);
    }),
  );
});

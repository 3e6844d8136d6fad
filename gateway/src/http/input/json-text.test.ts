import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { JsonText, memberText, stringifyMembers } from './json-text.ts';

describe('memberText', () => {
  for (const [what, object, text] of [
    ['a number too long for JavaScript', '{"a":12345678901234567890}', '12345678901234567890'],
    ['a number too large for JavaScript', '{"a":1e400}', '1e400'],
    ['members with the same name', '{"a":{"b":1,"b":2}}', '{"b":1,"b":2}'],
    ['names in their order', '{"a":{"2":0,"b":0,"1":0}}', '{"2":0,"b":0,"1":0}'],
    ['no whitespace except in strings', '\n{ "b" : 1 , "a" : [ 1.0 , " x\\t" ] }\t', '[1.0," x\\t"]'],
    ['strings with all punctuation', '{"x":"}],:\\"","a":"{[\\\\"}', '"{[\\\\"'],
    ['escapes unchanged', '{"a":"\\ud800\\u0041"}', '"\\ud800\\u0041"'],
    ['the last of several', '{"a":1,"a":{"a":3},"b":4}', '{"a":3}'],
    ['an escaped name', '{"\\u0061":1}', '1'],
    ['no nested member', '{"b":{"a":1}}', undefined],
    ['nothing in an empty object', '{}', undefined],
    ['a value that equals the name', '{"b":"a","c":2}', undefined],
  ] as const) {
    test(what, () => assert.equal(memberText(object, 'a'), text));
  }

  test('returns the text of any value that JSON.parse finds', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.boolean(), (object, indented) => {
        const json = JSON.stringify(object, null, indented ? 2 : 0);
        for (const [name, value] of Object.entries(JSON.parse(json))) {
          assert.equal(memberText(json, name), JSON.stringify(value));
        }
      }),
    );
  });
});

describe('stringifyMembers', () => {
  test('inserts texts unchanged, omits undefined members, and is JSON otherwise', () => {
    const metadata = new JsonText('{"n":1e400,"n":-0}');
    assert.equal(
      stringifyMembers({ id: 'a"b', metadata, none: undefined, nothing: null, rows: [{ a: 1 }] }),
      '{"id":"a\\"b","metadata":{"n":1e400,"n":-0},"nothing":null,"rows":[{"a":1}]}',
    );
  });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MAX_TIMEOUT_MS } from '@audiosplit/chassis/rpc/server';
import { PROCESS_NAMES } from '../../tests/harness/metrics.ts';
import { findProfile, PROFILES } from './catalog.ts';
import { JOB_GIVE_UP_SECONDS, RPC_JOURNEYS, STALL_SECONDS, TRICKLE_SECONDS } from './journeys.ts';
import {
  FLOOD_TIMES,
  isFloodedPhase,
  noisyNeighbour,
  PHASE_SECONDS,
  pairOfPhase,
  phaseTag,
  WARM_UP_SECONDS,
} from './noisy-neighbour.ts';
import type { Profile, Settings } from './profile.ts';
import { RPC_TIMEOUT_MS, type Scenario, untilSecondMs, withCommonThresholds } from './shapes.ts';

function settingsOf(profile: Profile, changes: Partial<Settings> = {}): Settings {
  return {
    minutes: profile.defaultMinutes,
    scale: 1,
    floodTimes: FLOOD_TIMES,
    withRpc: true,
    limits: profile.callers,
    ...changes,
  };
}

function secondsOf(scenario: Scenario): number {
  const durations =
    scenario.executor === 'constant-arrival-rate'
      ? [scenario.duration]
      : scenario.stages.map(({ duration }) => duration);
  return durations.reduce((sum, duration) => sum + Number.parseInt(duration, 10), 0);
}

function scenariosOfNeighbour(
  name: 'flood' | 'trickle' | 'stall' | 'cancel' | 'upload' | 'elsewhere',
): readonly Scenario[] {
  const { scenarios } = noisyNeighbour.build(settingsOf(noisyNeighbour));
  return Object.entries(scenarios).flatMap(([each, scenario]) => (each.startsWith(name) ? [scenario] : []));
}

function phasesOf(scenario: Scenario): readonly number[] {
  const first = (Number.parseInt(scenario.startTime, 10) - WARM_UP_SECONDS) / PHASE_SECONDS;
  const length = Math.ceil(secondsOf(scenario) / PHASE_SECONDS);
  return Array.from({ length }, (_, n) => first + n);
}

function rateOf(scenario: Scenario | undefined): number | undefined {
  return scenario?.executor === 'constant-arrival-rate' ? scenario.rate : undefined;
}

for (const profile of PROFILES) {
  describe(profile.name, () => {
    const load = withCommonThresholds(profile.build(settingsOf(profile)));
    const scenarios = Object.entries(load.scenarios);

    test('has an open model: arrivals by the clock, and every VU allocated beforehand', () => {
      assert.ok(scenarios.length > 0);
      for (const [, { executor, maxVUs, preAllocatedVUs }] of scenarios) {
        assert.match(executor, /-arrival-rate$/);
        assert.equal(maxVUs, preAllocatedVUs);
      }
    });

    test('tolerates no dropped arrival and no wrong answer', () => {
      assert.deepEqual(load.thresholds.dropped_iterations, ['count==0']);
      assert.deepEqual(load.thresholds.checks, ['rate==1']);
      assert.deepEqual(load.thresholds.http_req_failed, ['rate==0']);
    });

    test('bounds the latency of scenarios that there are', () => {
      const bounded = Object.keys(load.thresholds).flatMap(
        (metric) => /\{scenario:(\w+)\}/.exec(metric)?.[1] ?? [],
      );
      assert.ok(bounded.length > 0);
      for (const name of bounded) assert.ok(name in load.scenarios, name);
    });

    test('bounds jobs below the time after which they are given up, and waits for those in flight at the end', () => {
      for (const expression of load.thresholds.job_seconds ?? []) {
        const [, bound] = /^p\(95\)<(\d+)$/.exec(expression) ?? [];
        assert.ok(Number(bound) < JOB_GIVE_UP_SECONDS, expression);
      }
      for (const [name, { exec, gracefulStop }] of scenarios) {
        if (exec !== 'createAndPoll' && exec !== 'uploadSplitDownload') continue;
        assert.ok('job_seconds' in load.thresholds, name);
        assert.ok(Number.parseInt(gracefulStop, 10) > JOB_GIVE_UP_SECONDS, name);
      }
    });

    test('is understood by k6: whole rates from one on, durations of whole seconds', () => {
      const small = profile.build(settingsOf(profile, { scale: 0.1, minutes: 1 }));
      for (const [name, scenario] of [...scenarios, ...Object.entries(small.scenarios)]) {
        const rates =
          scenario.executor === 'constant-arrival-rate'
            ? [scenario.rate]
            : [scenario.startRate, ...scenario.stages.map(({ target }) => target)];
        for (const rate of rates) assert.ok(Number.isInteger(rate) && rate >= 1, `${name}: ${rate}`);
        assert.ok(secondsOf(scenario) > 0);
        assert.match(scenario.startTime, /^\d+s$/);
      }
    });

    test('has a caller for each scenario', () => {
      for (const [, { env }] of scenarios) assert.ok(env.CALLER in profile.callers);
    });
  });
}

describe('profiles', () => {
  test('smoke asks every internal service, by every journey there is for it, and bounds each', () => {
    const smoke = findProfile('smoke');
    assert.ok(smoke);
    const { scenarios, thresholds } = smoke.build(settingsOf(smoke));
    const rpc = Object.entries(scenarios).flatMap(([name, { exec }]) =>
      exec in RPC_JOURNEYS ? [{ name, journey: exec as keyof typeof RPC_JOURNEYS }] : [],
    );
    assert.deepEqual(rpc.map(({ journey }) => journey).toSorted(), Object.keys(RPC_JOURNEYS).toSorted());
    assert.deepEqual(
      new Set(rpc.map(({ journey }) => RPC_JOURNEYS[journey])),
      new Set(PROCESS_NAMES.filter((name) => name !== 'gateway')),
    );
    for (const { name } of rpc) assert.ok(`grpc_req_duration{scenario:${name}}` in thresholds, name);
  });

  test('internal services are given no longer than they accept', () => {
    assert.ok(RPC_TIMEOUT_MS <= MAX_TIMEOUT_MS);
  });

  test('internal services are called only where they can be reached', () => {
    const steady = findProfile('steady');
    assert.ok(steady);
    const journeys = (withRpc: boolean) =>
      Object.values(steady.build(settingsOf(steady, { withRpc })).scenarios).map(({ exec }) => exec);
    assert.ok(journeys(true).some((journey) => journey.startsWith('rpc')));
    assert.ok(!journeys(false).some((journey) => journey.startsWith('rpc')));
  });

  test('limiter asks for five times whatever the limit is, a little longer than its full windows', () => {
    const limiter = findProfile('limiter');
    const hammer = limiter?.build(settingsOf(limiter, { limits: { caller: 300 }, minutes: 4 })).scenarios
      .hammer;
    assert.ok(hammer?.executor === 'constant-arrival-rate');
    assert.equal(hammer.rate, 1_500);
    assert.equal(hammer.timeUnit, '1m');
    assert.ok(secondsOf(hammer) > 240 && secondsOf(hammer) < 300);
  });

  test('noisy-neighbour floods one minute of each pair, by another account, the second as often as the first', () => {
    const { quiet } = noisyNeighbour.build(settingsOf(noisyNeighbour)).scenarios;
    assert.ok(quiet);
    const floods = scenariosOfNeighbour('flood');
    const flooded = floods.flatMap(phasesOf);
    const phases = Math.ceil((secondsOf(quiet) - WARM_UP_SECONDS) / PHASE_SECONDS);
    assert.equal(phases, noisyNeighbour.defaultMinutes);
    const all = Array.from({ length: phases }, (_, n) => n);
    assert.deepEqual(flooded, all.filter(isFloodedPhase));
    assert.deepEqual(
      flooded.map(pairOfPhase),
      Array.from({ length: phases / 2 }, (_, pair) => pair),
    );
    assert.equal(flooded.filter((n) => n % 2 === 0).length, flooded.length / 2);
    assert.ok(floods.every(({ env }) => env.CALLER === 'neighbour'));
    assert.equal(quiet.env.CALLER, 'caller');
  });

  test('noisy-neighbour floods with a multiple of the limit', () => {
    const settings = settingsOf(noisyNeighbour, { limits: { neighbour: 600 }, floodTimes: 20 });
    const { flood1 } = noisyNeighbour.build(settings).scenarios;
    assert.ok(flood1?.executor === 'constant-arrival-rate');
    assert.deepEqual([flood1.rate, flood1.timeUnit], [12_000, '1m']);
  });

  test('noisy-neighbour asks elsewhere as often while it does not flood, so that asking is in both members of a pair', () => {
    const elsewhere = scenariosOfNeighbour('elsewhere');
    const all = Array.from({ length: noisyNeighbour.defaultMinutes }, (_, n) => n);
    assert.deepEqual(
      elsewhere.flatMap(phasesOf),
      all.filter((n) => !isFloodedPhase(n)),
    );
    const rate = rateOf(scenariosOfNeighbour('flood')[0]);
    assert.ok(elsewhere.every((each) => rateOf(each) === rate && each.exec === 'hammerStubServer'));
    assert.equal(noisyNeighbour.hasStubServer, true);
  });

  test('noisy-neighbour has sources that trickle and uploads that stall beside its flood, and nothing of them after it', () => {
    const floods = scenariosOfNeighbour('flood').flatMap(phasesOf);
    const lasting = { trickle: TRICKLE_SECONDS, stall: STALL_SECONDS };
    for (const name of ['trickle', 'stall'] as const) {
      const slow = scenariosOfNeighbour(name);
      assert.deepEqual(slow.flatMap(phasesOf), floods);
      assert.ok(slow.every(({ env }) => env.CALLER === 'slow'));
      for (const each of slow)
        assert.ok((secondsOf(each) % PHASE_SECONDS) + lasting[name] < PHASE_SECONDS - 1);
    }
  });

  test('noisy-neighbour has as many jobs and uploads of the slow account in minutes alone, which hold nothing', () => {
    for (const [slow, brief] of [
      ['trickle', 'cancel'],
      ['stall', 'upload'],
    ] as const) {
      const alone = scenariosOfNeighbour(brief);
      assert.deepEqual(alone.flatMap(phasesOf), scenariosOfNeighbour('elsewhere').flatMap(phasesOf));
      const rate = rateOf(scenariosOfNeighbour(slow)[0]);
      assert.ok(alone.every((each) => rateOf(each) === rate && each.env.CALLER === 'slow'));
    }
  });

  test('noisy-neighbour is over with its flood before a minute alone begins', () => {
    const { startsAtSecond = 0 } = noisyNeighbour;
    for (const flood of [...scenariosOfNeighbour('flood'), ...scenariosOfNeighbour('elsewhere')]) {
      const endsAtSecond = startsAtSecond + Number.parseInt(flood.startTime, 10) + secondsOf(flood);
      const second = endsAtSecond % PHASE_SECONDS;
      assert.ok(second > PHASE_SECONDS - 1 && second < PHASE_SECONDS, String(second));
      assert.equal(phaseTag((endsAtSecond - startsAtSecond) * 1_000), 'gap');
    }
  });

  test('noisy-neighbour asks nothing after its last phase, not even once at its very end', () => {
    const { quiet } = noisyNeighbour.build(settingsOf(noisyNeighbour)).scenarios;
    assert.ok(quiet);
    assert.equal(phaseTag(secondsOf(quiet) * 1_000), 'gap');
  });

  test('noisy-neighbour tells phases apart, and leaves out the first minute and where they end', () => {
    const tags = [0, 59_999, 60_000, 118_999, 119_000, 120_000, 301_000].map(phaseTag);
    assert.deepEqual(tags, ['warm-up', 'warm-up', '0', '0', 'gap', '1', '4']);
  });

  test('what begins at a second of the clock waits for the next of them', () => {
    const minuteMs = Date.parse('2026-11-22T12:00:00Z');
    assert.equal(untilSecondMs(minuteMs, 55), 55_000);
    assert.equal(untilSecondMs(minuteMs + 55_000, 55), 0);
    assert.equal(untilSecondMs(minuteMs + 55_001, 55), 59_999);
    assert.equal(untilSecondMs(minuteMs + 400, 0.5), 100);
  });
});

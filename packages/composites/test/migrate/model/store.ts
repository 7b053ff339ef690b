import type { Answer, Call, Process, Return, Setting, World } from './world.ts';

/** A request arrives at its store. */
export function meet(setting: Setting, world: World, process: Process, call: Call): void {
  const answer = answerTo(setting, world, call);
  if (call.orphan) process.calls.splice(process.calls.indexOf(call), 1);
  else call.answer = answer;
}

function answerTo(setting: Setting, world: World, call: Call): Answer {
  const store = world.stores[call.store]!;
  const { now } = world;
  const { number, about, token } = call;
  if (typeof about === 'object') {
    if (call.kind === 'look' || call.kind === 'look back') {
      const found = store.presences.some(({ migration, end }) => migration === about.migration && end === about.end);
      return found ? 'yes' : 'no';
    }
    const mark = store.marks.find(({ migration, end }) => migration === about.migration && end === about.end);
    const others = store.marks.filter((each) => each !== mark);
    switch (call.kind) {
      case 'check':
      case 'read mark':
        return { token: mark?.number ?? 0 };
      case 'mark':
        store.marks = [...others, { ...about, number }];
        return 'yes';
      case 'lift':
      case 'lift own':
        if (mark?.number === number) store.marks = others;
        return mark === undefined || mark.number === number ? 'yes' : 'no';
      default:
    }
    const expires = now + setting.presenceTtl;
    const presence = store.presences.find((each) => each.number === number);
    if (presence !== undefined) presence.expires = expires;
    else if (call.kind === 'announce') store.presences.push({ ...about, number, expires });
    else return 'no';
    return 'yes';
  }
  const hold = store.holds[about]?.number === number ? store.holds[about] : undefined;
  switch (call.kind) {
    case 'probe other':
    case 'probe own':
      return { token: mint(setting, world, call) };
    case 'ask':
      if (hold !== undefined) hold.expires = now + setting.ttl;
      else if (store.holds[about] !== undefined) return 'no';
      else store.holds[about] = { number, token: mint(setting, world, call), expires: now + setting.ttl };
      return { token: store.holds[about]?.token ?? 0 };
    default:
      if (hold === undefined || (token !== undefined && hold.token > token)) return 'no';
      hold.expires = now + setting.ttl;
      if (token !== undefined) {
        hold.token = token;
        raise(setting, world, call, token);
      }
      return 'yes';
  }
}

/** A release arrives at its store. */
export function takeBack(world: World, process: Process, returned: Return): void {
  process.returns.splice(process.returns.indexOf(returned), 1);
  const store = world.stores[returned.store]!;
  store.presences = store.presences.filter(({ number }) => number !== returned.number);
  store.holds = store.holds.map((hold) => (hold?.number === returned.number ? undefined : hold));
}

/** A new token of a key: above the floor, above all of the key, and not below the clock. */
function mint(setting: Setting, world: World, call: Call): number {
  const { shared, begins } = setting.stores[call.store]!;
  const { counters } = world.stores[call.store]!;
  const clock = shared ? 0 : begins + world.now * setting.perTick;
  const token = Math.max((counters[counterOf(setting, call)] ?? 0) + 1, (call.token ?? 0) + 1, clock);
  raise(setting, world, call, token);
  return token;
}

function raise(setting: Setting, world: World, call: Call, token: number): void {
  const { counters } = world.stores[call.store]!;
  const counter = counterOf(setting, call);
  counters[counter] = Math.max(counters[counter] ?? 0, token);
}

function counterOf({ stores }: Setting, { store, about }: Call): number {
  return stores[store]?.shared === true || typeof about === 'object' ? 0 : about;
}

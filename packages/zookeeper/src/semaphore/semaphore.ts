import { permitsRefused, upgradeRefused } from '@locks/core/adapter';
import type { Claim, KeyState } from '@locks/core';
import { placesOf } from '../line/line.ts';
import { contenderName, parseContenders, uuidOf } from '../line/names.ts';
import { sequenceExhausted } from '../line/refusals.ts';
import type { LiveClaim } from '../live-claim.ts';
import { writeNodeData } from '../node-data.ts';
import { refusal } from '../nodes.ts';
import type { Nodes } from '../nodes.ts';
import { longestWait, looks, unwatchedWait } from '../recipe.ts';
import type { Recipe, Standing } from '../recipe.ts';
import type { Generation } from '../session/generation.ts';
import type { Tokens } from '../tokens.ts';
import type { MultiOutcome } from '../wire/multi.ts';
import { multi } from '../wire/multi.ts';
import { setData, sync } from '../wire/requests.ts';
import { judgeEntry } from './entry.ts';
import type { SemaphoreState } from './entry.ts';
import { inspectSemaphore } from './inspect.ts';
import { leaseName, parseLeases } from './leases.ts';

/** The layout of Curator's InterProcessSemaphoreV2: a line in `locks`, whose first one makes itself a lease in `leases`. */
export class SemaphoreRecipe implements Recipe {
  readonly fair = true;
  readonly shared = true;
  readonly #nodes: Nodes;
  readonly #tokens: Tokens;

  constructor(nodes: Nodes, tokens: Tokens) {
    this.#nodes = nodes;
    this.#tokens = tokens;
  }

  async attempt(own: LiveClaim, claim: Claim): Promise<Standing> {
    if (own.node !== undefined && own.claim.mode !== claim.mode) await this.#convert(own, claim);
    if (own.node === undefined && !own.uncertain) own.claim = claim;
    if (await this.#isAsBefore(own)) return own.token === undefined ? waitingFor(longestWait) : { holds: true };
    for (let look = 0; look < looks; look += 1) {
      const state = await this.#look(own);
      if (state === undefined || own.node === undefined) continue;
      const name = nameOf(own.node.path);
      if (state.leases.some((lease) => lease.name === name)) return { holds: true };
      const entry = judgeEntry(state, name, own.claim);
      switch (entry.state) {
        case 'enters':
          if (await this.#admit(own)) return { holds: true };
          break;
        case 'missing':
          // Somebody has removed it.
          own.node = undefined;
          own.token = undefined;
          break;
        case 'refused':
          await this.leave(own);
          throw permitsRefused(claim, entry.inUse);
        case 'exhausted':
          await this.leave(own);
          throw sequenceExhausted(claim.key, this.#folder(own, 'locks'), entry.sequence);
        case 'waits': {
          if (own.wake === undefined) {
            await this.leave(own);
            return waitingFor(longestWait);
          }
          const folder = this.#folder(own);
          const watch = await own.watch(entry.watch.map((path) => `${folder}/${path}`));
          if (watch !== 'missing') return waitingFor(watch === 'watching' ? longestWait : unwatchedWait);
          break;
        }
        default:
          entry satisfies never;
      }
    }
    // Others come and go faster than it can look.
    if (own.wake === undefined) await this.leave(own);
    return waitingFor(1);
  }

  async leave(own: LiveClaim): Promise<boolean> {
    own.unwatch();
    if (own.uncertain) await this.#find(own);
    const { node, session } = own;
    if (node === undefined) return false;
    const removed = await this.#nodes.remove(session, node.path);
    own.node = undefined;
    own.token = undefined;
    return removed;
  }

  async evict(session: Generation, claim: Claim): Promise<boolean> {
    const folder = this.#nodes.ofKey(claim.key);
    const { locks, leases } = await this.#read(session, folder);
    const uuid = uuidOf(claim.owner);
    const lease = leases.find((held) => held.uuid === uuid || held.name === claim.owner);
    if (lease !== undefined) return await this.#nodes.remove(session, `${folder}/leases/${lease.name}`);
    const place = locks.find((contender) => contender.uuid === uuid || contender.name === claim.owner);
    if (place === undefined) return false;
    const held = place.mode === 'exclusive' && judgeEntry({ locks, leases }, place.name, place).state === 'enters';
    return (await this.#nodes.remove(session, `${folder}/locks/${place.name}`)) && held;
  }

  async inspect(session: Generation, key: string): Promise<KeyState> {
    const folder = this.#nodes.ofKey(key);
    return await inspectSemaphore({
      key,
      read: () => this.#read(session, folder),
      show: (path) => this.#nodes.read(session, `${folder}/${path}`),
    });
  }

  async used(session: Generation, names: readonly string[]): Promise<readonly boolean[]> {
    const folders = names.map((name) => ['locks', 'leases'].map((below) => this.#nodes.under(`${name}/${below}`)));
    const stats = folders.map((paths) => Promise.all(paths.map((path) => this.#nodes.exists(session, path))));
    return (await Promise.all(stats)).map((found) => found.some((stat) => stat !== undefined && stat.numChildren > 0));
  }

  /** Whether nothing has changed for one that holds, or that watches; without reading everything. */
  async #isAsBefore({ session, node, watched, token }: LiveClaim): Promise<boolean> {
    if (node === undefined || (token === undefined && watched.length === 0)) return false;
    const paths = token === undefined ? [node.path, ...watched] : [node.path];
    const stats = await Promise.all(paths.map((path) => this.#nodes.exists(session, path)));
    return stats.every((stat) => stat !== undefined);
  }

  /** The state with its node in it; `undefined`: it has none yet, look again. */
  async #look(own: LiveClaim): Promise<SemaphoreState | undefined> {
    if (own.uncertain) return await this.#find(own);
    if (own.node === undefined) return await this.#enter(own);
    return await this.#read(own.session, this.#folder(own));
  }

  /** Takes a place in line, and reads the state in the same flight. */
  async #enter(own: LiveClaim): Promise<SemaphoreState | undefined> {
    const { session, claim } = own;
    const folder = this.#folder(own);
    const base = this.#tokens.cached(session)?.value;
    own.uncertain = true;
    const path = `${folder}/locks/${contenderName('mutex', claim)}`;
    const making = this.#nodes.make(session, path, 'ephemeral-sequential', writeNodeData({ owner: claim.owner, base }));
    const reading = this.#read(session, folder);
    // Without the reply to the first there is none to the second.
    reading.catch(() => {});
    const made = await making;
    own.uncertain = false;
    if (made.ok) {
      own.node = { path: made.value.path, zxid: made.value.stat.czxid, base };
      return await this.#single(own, await reading);
    }
    if (made.error !== 'NO_NODE') throw refusal(made, folder);
    await this.#nodes.makeContainer(session, folder);
    await this.#nodes.makeContainer(session, `${folder}/locks`);
    return undefined;
  }

  /** Finds out what became of a request whose reply was lost: the node is there in this session, or will never be. */
  async #find(own: LiveClaim): Promise<SemaphoreState | undefined> {
    const { session } = own;
    const folder = this.#folder(own);
    // The server that answers now may lag behind the one that took the request.
    const syncing = session.send(sync(folder));
    const reading = this.#read(session, folder);
    reading.catch(() => {});
    await syncing;
    own.node = undefined;
    const state = await this.#single(own, await reading);
    own.uncertain = false;
    return own.node === undefined ? undefined : state;
  }

  /** The state with one node of the claim in this session: a lease rather than a place in line. A request may have arrived twice. */
  async #single(own: LiveClaim, { locks, leases }: SemaphoreState): Promise<SemaphoreState> {
    const { session, claim } = own;
    const folder = this.#folder(own);
    const uuid = uuidOf(claim.owner);
    const held = leases.filter((lease) => lease.uuid === uuid).map(({ name }) => `leases/${name}`);
    const found = [...held, ...placesOf(locks, uuid).map(({ name }) => `locks/${name}`)];
    const gone = new Set<string>();
    for (const path of found.map((name) => `${folder}/${name}`)) {
      if (path === own.node?.path) continue;
      const stat = await this.#nodes.exists(session, path);
      if (stat !== undefined && stat.ephemeralOwner !== session.id) continue;
      if (stat !== undefined && own.node === undefined) {
        own.node = { path, zxid: stat.mzxid, base: undefined };
        continue;
      }
      if (stat !== undefined) await this.#nodes.remove(session, path);
      gone.add(nameOf(path));
    }
    return {
      locks: locks.filter(({ name }) => !gone.has(name)),
      leases: leases.filter(({ name }) => !gone.has(name)),
    };
  }

  /** Makes a hold of its turn. `false`: look again. */
  async #admit(own: LiveClaim): Promise<boolean> {
    const { session, node, claim } = own;
    if (node === undefined) return false;
    const base = this.#tokens.cached(session)?.value;
    const data = writeNodeData({ owner: claim.owner, base });
    if (claim.mode === 'shared') return await this.#exchange(own, data, base);
    // Its place is older than the leases that were made since: its token must not be.
    const answer = await session.send(setData(node.path, Buffer.from(data)));
    if (!answer.ok && answer.error !== 'NO_NODE') throw refusal(answer, node.path);
    own.node = answer.ok ? { path: node.path, zxid: answer.value.mzxid, base } : undefined;
    return answer.ok;
  }

  /** A held exclusive claim becomes a shared one, in one transaction: nobody gets in between. */
  async #convert(own: LiveClaim, claim: Claim): Promise<void> {
    if (own.token === undefined) {
      await this.leave(own);
      return;
    }
    if (claim.mode === 'exclusive') throw upgradeRefused(claim);
    const data = writeNodeData({ owner: claim.owner, token: own.token });
    own.claim = claim;
    while (own.node !== undefined && !(await this.#exchange(own, data, undefined)));
    if (own.node === undefined) own.token = undefined;
  }

  /** Its place in line for a lease, in one transaction that fails if the place has gone. `false`: it has, or there was nowhere to put the lease. */
  async #exchange(own: LiveClaim, data: string, base: bigint | undefined): Promise<boolean> {
    const { session, node, claim } = own;
    if (node === undefined) return false;
    const leases = this.#folder(own, 'leases');
    const path = `${leases}/${leaseName(claim)}`;
    own.uncertain = true;
    const answer = await session.send(
      multi([
        { type: 'remove', path: node.path },
        { type: 'create', path, kind: 'ephemeral-sequential', data: Buffer.from(data), acl: this.#nodes.acl },
      ]),
    );
    own.uncertain = false;
    if (!answer.ok) throw refusal(answer, path);
    const [removed, made] = answer.value.results;
    if (made?.ok && made.path !== undefined) {
      own.node = { path: made.path, zxid: made.stat?.czxid ?? answer.zxid, base };
      return true;
    }
    if (removed?.ok === false && removed.error === 'NO_NODE') own.node = undefined;
    else if (made?.ok === false && made.error === 'NO_NODE') await this.#nodes.makeContainer(session, leases);
    else throw refusedStep(answer.value, path);
    return false;
  }

  async #read(session: Generation, folder: string): Promise<SemaphoreState> {
    // In this order, and in one flight: whoever is first in line from then on knows all leases.
    const lists = ['locks', 'leases'].map((below) => this.#nodes.children(session, `${folder}/${below}`));
    const [locks, leases] = await Promise.all(lists);
    return { locks: parseContenders(locks ?? []), leases: parseLeases(leases ?? []) };
  }

  #folder({ claim }: LiveClaim, below?: 'locks' | 'leases'): string {
    const folder = this.#nodes.ofKey(claim.key);
    return below === undefined ? folder : `${folder}/${below}`;
  }
}

function refusedStep({ results }: MultiOutcome, path: string): Error {
  for (const result of results) {
    if (!result.ok && result.error !== 'UNDONE' && result.error !== 'NOT_TRIED')
      return refusal({ ok: false, error: result.error, code: result.code, zxid: 0n }, path);
  }
  return refusal({ ok: false, error: 'OTHER', code: 0, zxid: 0n }, path);
}

function waitingFor(retryAfter: number): Standing {
  return { holds: false, retryAfter };
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

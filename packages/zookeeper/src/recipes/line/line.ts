import { permitsRefused, upgradeRefused } from '@locks/core/adapter';
import type { Claim, KeyState } from '@locks/core';
import { KnownLines } from './known-lines.ts';
import { judge } from './judge.ts';
import type { Verdict } from './judge.ts';
import { contenderName, numbered, parseContender } from '../contenders.ts';
import type { Contender, LineRecipe } from '../contenders.ts';
import { sequenceExhausted } from '../exhausted.ts';
import { Lines } from './line-nodes.ts';
import { madeBy } from '../live-claim.ts';
import type { LiveClaim } from '../live-claim.ts';
import { writeNodeData } from '../../nodes/node-data.ts';
import type { MadeFolders } from '../../nodes/folder-cleanup.ts';
import { isDoubtful, refusal } from '../../nodes/nodes.ts';
import type { Nodes } from '../../nodes/nodes.ts';
import { folderOf, nameOf } from '../../nodes/paths.ts';
import { looks } from '../recipe.ts';
import type { Recipe, Standing } from '../recipe.ts';
import type { Session } from '../../session/session.ts';
import type { Tokens } from '../../tokens/tokens.ts';
import { asBefore, waitAt, waitingFor, watchFor } from '../waiting.ts';
import { multi } from '../../wire/multi.ts';

/** What a line is made of. */
export interface FairParts {
  readonly nodes: Nodes;
  readonly tokens: Tokens;
  readonly folders: MadeFolders;
  readonly names: LineRecipe;
  readonly sharedMarkers: readonly string[];
}

/** Ephemeral sequential nodes in one folder per key; the lowest holds, and each waits for the one before it: Curator's recipe. */
export class FairRecipe implements Recipe {
  readonly fair = true;
  readonly shared = true;
  readonly #nodes: Nodes;
  readonly #tokens: Tokens;
  readonly #folders: MadeFolders;
  readonly #names: LineRecipe;
  readonly #lines: Lines;
  readonly #known: KnownLines = new KnownLines();

  constructor({ nodes, tokens, folders, names, sharedMarkers }: FairParts) {
    this.#nodes = nodes;
    this.#tokens = tokens;
    this.#folders = folders;
    this.#names = names;
    this.#lines = new Lines(nodes, sharedMarkers);
  }

  async attempt(own: LiveClaim, claim: Claim): Promise<Standing> {
    if (own.node !== undefined && own.claim.mode !== claim.mode) await this.#convert(own, claim);
    if (own.node === undefined && !own.uncertain) own.claim = claim;
    const before = await asBefore(this.#nodes, own);
    if (before !== undefined) return before;
    for (let look = 0; look < looks; look += 1) {
      const verdict = await this.#look(own);
      if (verdict === undefined || own.node === undefined) continue;
      switch (verdict.state) {
        case 'holds':
          if (own.claim.mode === 'exclusive') this.#known.holds(own, own.node.path);
          return { holds: true };
        case 'missing':
          // Somebody has removed it.
          this.gone(own);
          own.node = undefined;
          own.token = undefined;
          break;
        case 'refused':
          await this.leave(own);
          throw permitsRefused(claim, verdict.inUse);
        case 'exhausted':
          await this.leave(own);
          throw sequenceExhausted(claim.key, this.#nodes.ofKey(claim.key), verdict.sequence);
        case 'waits': {
          if (own.wake === undefined) {
            await this.leave(own);
            return waitingFor(waitAt(1));
          }
          const waiting = await watchFor(own, verdict.watch, verdict.place);
          if (waiting !== undefined) return waiting;
          break;
        }
        default:
          verdict satisfies never;
      }
    }
    // Others come and go faster than it can look.
    if (own.wake === undefined) await this.leave(own);
    return waitingFor(1);
  }

  async leave(own: LiveClaim): Promise<boolean> {
    own.unwatch();
    if (own.uncertain) await this.#lines.find(own);
    const { node, session } = own;
    if (node === undefined) {
      this.gone(own);
      return false;
    }
    const removing = this.#known.leaves(own, node.path, () => this.#nodes.remove(session, node.path));
    const [removed] = await Promise.all([removing, this.#nodes.renewSequence(session, node.path)]);
    this.#folders.left(folderOf(node.path));
    own.node = undefined;
    own.token = undefined;
    return removed;
  }

  gone(own: LiveClaim): void {
    if (own.node !== undefined) this.#known.lost(own, own.node.path);
    this.#folders.left(this.#nodes.ofKey(own.claim.key));
  }

  async evict(session: Session, claim: Claim): Promise<boolean> {
    const held = await this.#lines.evict(session, claim);
    this.#folders.left(this.#nodes.ofKey(claim.key));
    return held;
  }

  inspect(session: Session, key: string): Promise<KeyState> {
    return this.#lines.inspect(session, key);
  }

  used(session: Session, names: readonly string[]): Promise<readonly boolean[]> {
    return this.#lines.used(session, names);
  }

  /** What its place means; `undefined`: it has none yet, look again. */
  async #look(own: LiveClaim): Promise<Verdict | undefined> {
    if (own.uncertain) return this.#judge(own, await this.#lines.find(own));
    const { node, session } = own;
    if (node === undefined) return await this.#enter(own);
    if (await this.#known.isNext(own, node.path)) {
      return { state: (await this.#nodes.exists(session, node.path)) === undefined ? 'missing' : 'holds' };
    }
    return this.#judge(
      own,
      await this.#lines.single(own, await this.#lines.read(session, this.#nodes.ofKey(own.claim.key))),
    );
  }

  #judge({ node, claim }: LiveClaim, line: readonly Contender[] | undefined): Verdict | undefined {
    if (node === undefined || line === undefined) return undefined;
    const verdict = judge(line, nameOf(node.path));
    if (verdict.state !== 'waits') return verdict;
    const folder = this.#nodes.ofKey(claim.key);
    return { ...verdict, watch: verdict.watch.map((name) => `${folder}/${name}`) };
  }

  /** Makes the node, and reads the line in the same flight, unless its place will be known without. */
  async #enter(own: LiveClaim): Promise<Verdict | undefined> {
    const { session, claim } = own;
    const folder = this.#nodes.ofKey(claim.key);
    const base = this.#tokens.cached(session)?.value;
    own.uncertain = true;
    this.#folders.entered(folder);
    const path = `${folder}/${contenderName(this.#names, claim)}`;
    const data = writeNodeData({ owner: claim.owner, base });
    const making = this.#nodes.make(session, path, 'ephemeral-sequential', data);
    const reading = this.#known.foresees(own, folder) ? undefined : this.#lines.read(session, folder);
    // Without the reply to the first there is none to the second.
    reading?.catch(() => {});
    const made = await making;
    if (made.ok) {
      own.uncertain = false;
      const { czxid } = made.value.stat;
      own.node = { path: made.value.path, ...madeBy(czxid), base };
      const known = this.#known.entered(own, own.node.path);
      if (reading === undefined && known !== undefined) return known;
      return this.#judge(own, await this.#lines.single(own, await (reading ?? this.#lines.read(session, folder))));
    }
    own.uncertain = made.error === 'NO_NODE' || isDoubtful(made);
    if (made.error !== 'NO_NODE') throw refusal(made, folder);
    const first = await this.#nodes.makeWithin(session, [folder], path, data);
    own.uncertain = false;
    if (first === undefined) return undefined;
    own.node = { path: first.path, ...madeBy(first.czxid), base };
    this.#folders.made(folder);
    this.#known.entered(own, own.node.path);
    // Whoever is in the same folder came later.
    return { state: 'holds' };
  }

  /** A held exclusive claim becomes a shared one under the same number, in one transaction: nobody gets in between. */
  async #convert(own: LiveClaim, claim: Claim): Promise<void> {
    const { session, node, token } = own;
    if (node === undefined) return;
    if (token === undefined) {
      await this.leave(own);
      return;
    }
    if (claim.mode === 'exclusive') throw upgradeRefused(claim);
    const sequence = parseContender(node.path)?.sequence ?? 0;
    const path = `${folderOf(node.path)}/${numbered(contenderName(this.#names, claim), sequence)}`;
    const data = writeNodeData({ owner: claim.owner, token });
    own.uncertain = true;
    const answer = await session.send(multi([this.#nodes.ephemeral(path, data), { type: 'remove', path: node.path }]));
    if (!answer.ok) throw refusal(answer, path);
    // If it was not done, its node was removed by somebody, or by this request, if it arrived twice.
    own.uncertain = !answer.value.committed;
    own.node = answer.value.committed
      ? { path, ...madeBy(answer.zxid), order: node.order, base: undefined }
      : undefined;
    own.claim = claim;
  }
}

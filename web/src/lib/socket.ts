// The line to one game. It comes back by itself after a cut, a sleep or a restart of the server.

import type { Game } from './api';

export type Action =
  | { type: 'move'; uci: string; ply: number }
  | { type: 'resign' }
  | { type: 'abort' }
  | { type: 'draw' }
  | { type: 'takeback' };

interface Listener {
  state(game: Game): void;
  refused(message: string): void;
  connected(yes: boolean): void;
}

const PING_MS = 20_000;
const LONGEST_PAUSE_MS = 5_000;

export class GameSocket {
  private socket?: WebSocket;
  private pause = 250;
  private closed = false;
  private timer?: number;
  private pings: number;

  constructor(private readonly id: string, private readonly listener: Listener) {
    this.pings = window.setInterval(() => this.say({ type: 'ping' }), PING_MS);
    this.open();
  }

  /** False if there is no line to send it on. */
  send(action: Action): boolean {
    return this.say(action);
  }

  close(): void {
    this.closed = true;
    window.clearInterval(this.pings);
    window.clearTimeout(this.timer);
    this.socket?.close();
  }

  private open(): void {
    const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
    const socket = new WebSocket(`${scheme}://${location.host}/api/games/${this.id}/socket`);
    this.socket = socket;
    socket.onopen = () => {
      this.pause = 250;
      this.listener.connected(true);
    };
    socket.onmessage = (event) => {
      const message = JSON.parse(event.data);
      if (message.type === 'state') this.listener.state(message.game);
      else if (message.error) this.listener.refused(message.error.message);
    };
    socket.onclose = () => {
      if (this.closed) return;
      this.listener.connected(false);
      this.timer = window.setTimeout(() => this.open(), this.pause);
      this.pause = Math.min(this.pause * 2, LONGEST_PAUSE_MS);
    };
  }

  private say(message: object): boolean {
    if (this.socket?.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }
}

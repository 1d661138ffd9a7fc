// Sounds made on the spot: no files, nothing to load.

import { prefs } from './prefs.svelte';

let context: AudioContext | undefined;

function ready(): AudioContext | undefined {
  if (!prefs.sound || typeof AudioContext === 'undefined') return undefined;
  context ??= new AudioContext();
  if (context.state === 'suspended') void context.resume();
  return context;
}

/** A knock of wood: a short burst of noise through a narrow filter. */
function knock(pitch: number, loudness: number, after = 0): void {
  const audio = ready();
  if (!audio) return;
  const length = 0.07;
  const buffer = audio.createBuffer(1, audio.sampleRate * length, audio.sampleRate);
  const samples = buffer.getChannelData(0);
  for (let i = 0; i < samples.length; i++) {
    samples[i] = (Math.random() * 2 - 1) * Math.exp((-7 * i) / samples.length);
  }
  const source = new AudioBufferSourceNode(audio, { buffer });
  const filter = new BiquadFilterNode(audio, { type: 'bandpass', frequency: pitch, Q: 4 });
  const gain = new GainNode(audio, { gain: loudness });
  source.connect(filter).connect(gain).connect(audio.destination);
  source.start(audio.currentTime + after);
}

function tone(frequency: number, length: number, loudness: number, after = 0): void {
  const audio = ready();
  if (!audio) return;
  const start = audio.currentTime + after;
  const oscillator = new OscillatorNode(audio, { type: 'triangle', frequency });
  const gain = new GainNode(audio, { gain: 0 });
  gain.gain.linearRampToValueAtTime(loudness, start + 0.01);
  gain.gain.exponentialRampToValueAtTime(0.0001, start + length);
  oscillator.connect(gain).connect(audio.destination);
  oscillator.start(start);
  oscillator.stop(start + length);
}

export const sound = {
  move: () => knock(500, 1.6),
  capture: () => {
    knock(750, 1.8);
    knock(380, 1.6, 0.045);
  },
  check: () => {
    knock(500, 1.6);
    tone(880, 0.16, 0.12, 0.02);
  },
  end: () => [523, 659, 784].forEach((pitch, i) => tone(pitch, 0.4, 0.12, 0.13 * i)),
  lowTime: () => tone(990, 0.12, 0.14),
  refused: () => tone(160, 0.18, 0.15),
};

/** The sound that belongs to a move in its notation. */
export function soundOf(san: string): void {
  if (/[+#]$/.test(san)) sound.check();
  else if (san.includes('x')) sound.capture();
  else sound.move();
}

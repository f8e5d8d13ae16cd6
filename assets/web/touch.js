// Fingers, for a program that knows a mouse: one finger is the left button, held still for a moment the right one; two
// fingers zoom, pan and scroll, which are turns of the wheel here.
'use strict';

(() => {
  const canvas = lanescopePage.canvas;
  const holdMs = 500, still = 12, decidedPx = 10;
  const fingers = new Map();
  let holding = null, pressed = false, two = null;

  const send = (kind, at, button, buttons) => canvas.dispatchEvent(new MouseEvent(kind, {
    bubbles: true, cancelable: true, clientX: at.x, clientY: at.y, button, buttons,
  }));
  const turn = (at, deltaX, deltaY) => canvas.dispatchEvent(new WheelEvent('wheel', {
    bubbles: true, cancelable: true, clientX: at.x, clientY: at.y, deltaX, deltaY, deltaMode: 0,
  }));
  const release = (at) => {
    if (pressed) send('mouseup', at, 0, 0);
    pressed = false;
  };
  const middle = () => {
    const [a, b] = [...fingers.values()];
    return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, apart: Math.hypot(a.x - b.x, a.y - b.y) };
  };

  const down = (event) => {
    if (event.pointerType !== 'touch') return;
    event.preventDefault();
    canvas.setPointerCapture(event.pointerId);
    const at = { x: event.clientX, y: event.clientY };
    fingers.set(event.pointerId, { ...at, from: at });
    clearTimeout(holding);
    if (fingers.size === 1) {
      send('mousemove', at, 0, 0);
      send('mousedown', at, 0, 1);
      pressed = true;
      holding = setTimeout(() => {
        release(at);
        send('mousedown', at, 2, 2);
        send('mouseup', at, 2, 0);
      }, holdMs);
    } else if (fingers.size === 2) {
      release(at);
      two = middle();
    }
  };
  const move = (event) => {
    const finger = fingers.get(event.pointerId);
    if (event.pointerType !== 'touch' || !finger) return;
    event.preventDefault();
    finger.x = event.clientX;
    finger.y = event.clientY;
    if (Math.hypot(finger.x - finger.from.x, finger.y - finger.from.y) > still) clearTimeout(holding);
    if (fingers.size === 1) {
      if (!two) send('mousemove', finger, 0, pressed ? 1 : 0);
      return;
    }
    const now = middle();
    if (!two || fingers.size !== 2) return;
    const x = two.x - now.x, y = two.y - now.y, closer = two.apart - now.apart;
    if (!two.kind) {
      if (Math.max(Math.abs(x), Math.abs(y), Math.abs(closer)) < decidedPx) return;
      two.kind = Math.abs(closer) > Math.max(Math.abs(x), Math.abs(y)) ? 'pinch' : 'drag';
      send('mousemove', now, 0, 0);
      // What begins sideways stays a drag, see WheelGesture.
      if (two.kind === 'drag') turn(now, 0.5, 0);
    }
    if (two.kind === 'pinch') {
      turn(now, 0, Math.log(two.apart / now.apart) * 310);  // 100 is a step, which zooms by 1.25
    } else {
      turn(now, x * 100 / 60, y * 100 / 60);  // 100 is a step, which moves by 60 points
    }
    two = { ...now, kind: two.kind };
  };
  const up = (event) => {
    if (event.pointerType !== 'touch') return;
    event.preventDefault();
    clearTimeout(holding);
    if (fingers.delete(event.pointerId) && fingers.size === 0) {
      release({ x: event.clientX, y: event.clientY });
      // Nothing hovers where no finger is.
      send('mousemove', { x: -100, y: -100 }, 0, 0);
      two = null;
    }
  };
  canvas.addEventListener('pointerdown', down);
  canvas.addEventListener('pointermove', move);
  canvas.addEventListener('pointerup', up);
  canvas.addEventListener('pointercancel', up);
  // GLFW would take the same fingers for a mouse once more.
  for (const kind of ['touchstart', 'touchmove', 'touchend', 'touchcancel']) {
    window.addEventListener(kind, (event) => {
      if (event.target !== canvas) return;
      event.preventDefault();
      event.stopImmediatePropagation();
    }, { capture: true, passive: false });
  }
})();

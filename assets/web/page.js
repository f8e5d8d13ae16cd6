// What the page does for the program: its size, files in and out, the browser's store, touch. C++ calls these functions
// through src/base/platform/page_browser.cpp.
'use strict';

const lanescopePage = (() => {
  const canvas = document.getElementById('canvas');
  const settingsFolder = '/home/web_user/.config';
  const page = { files: [], canvas };
  let input = true;
  const offered = new Map();  // downloads by path: time of change

  // False: there is no WebGL 2. Notes whether a program draws instead of a GPU.
  page.look = () => {
    const gl = document.createElement('canvas').getContext('webgl2');
    if (!gl) return false;
    const names = gl.getExtension('WEBGL_debug_renderer_info');
    const renderer = String(names ? gl.getParameter(names.UNMASKED_RENDERER_WEBGL) : gl.getParameter(gl.RENDERER));
    page.software = /swiftshader|llvmpipe|softpipe|software|basic render/i.test(renderer);
    return true;
  };

  page.size = () => {
    const density = Math.min(window.devicePixelRatio || 1, 3);
    return {
      width: Math.max(1, Math.round(window.innerWidth * density)),
      height: Math.max(1, Math.round(window.innerHeight * density)),
      density,
    };
  };

  // GLFW counts where the mouse is in the canvas's own size, which it takes from here; the program draws, and so counts, in
  // the screen's pixels.
  Object.defineProperty(canvas, 'clientWidth', { get: () => canvas.width });
  Object.defineProperty(canvas, 'clientHeight', { get: () => canvas.height });

  page.takeInput = () => {
    const was = input;
    input = false;
    return was;
  };
  const noteInput = () => { input = true; };
  for (const kind of ['pointerdown', 'pointermove', 'pointerup', 'wheel', 'keydown', 'keyup', 'resize', 'focus', 'blur',
    'drop', 'fullscreenchange', 'touchstart', 'touchmove', 'touchend', 'mousemove', 'mousedown', 'mouseup']) {
    window.addEventListener(kind, noteInput, { capture: true, passive: true });
  }
  document.addEventListener('visibilitychange', () => {
    noteInput();
    if (document.visibilityState === 'hidden') page.leaving();
  });

  // Keys of the program that the browser would act on, too. Those that leave the page stay the browser's.
  const kept = new Set(['s', 'o', 'f', 'g', 'p', 'd', 'e', 'b', 'k', 'h', 'u', 'j']);
  window.addEventListener('keydown', (event) => {
    const key = event.key.toLowerCase();
    const functionKey = /^f([1-9]|10)$/.test(key) && key !== 'f5';
    if (((event.ctrlKey || event.altKey) && kept.has(key)) || functionKey || key === 'tab' || key === '/' ||
        key === "'" || key === ' ' || key.startsWith('arrow') || key === 'pageup' || key === 'pagedown') {
      event.preventDefault();
    }
  }, { capture: true });
  canvas.addEventListener('contextmenu', (event) => event.preventDefault());

  // Files.
  const chooser = document.getElementById('chooser');
  const arrive = async (files) => {
    try { FS.mkdir('/opened'); } catch (error) { /* it is there */ }
    const paths = [];
    for (const file of files) {
      const path = '/opened/' + file.name.replace(/\//g, '_');
      FS.writeFile(path, new Uint8Array(await file.arrayBuffer()));
      paths.push(path);
    }
    page.files.push(...paths);
    noteInput();
  };
  chooser.addEventListener('change', () => arrive(chooser.files).then(() => { chooser.value = ''; }));
  page.askForFiles = (endings) => {
    chooser.accept = endings;
    chooser.click();
  };
  page.offerDownloads = (folder) => {
    for (const name of FS.readdir(folder)) {
      const path = folder + '/' + name;
      const found = FS.stat(path);
      if (!FS.isFile(found.mode) || name.startsWith('.') || name.includes('.tmp')) continue;
      const changed = Number(found.mtime);
      if (offered.get(path) === changed) continue;
      offered.set(path, changed);
      const link = document.createElement('a');
      link.href = URL.createObjectURL(new Blob([FS.readFile(path)]));
      link.download = name;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 60000);
    }
  };

  page.copyText = (text) => {
    const byHand = () => {
      const area = document.createElement('textarea');
      area.value = text;
      document.body.appendChild(area);
      area.select();
      document.execCommand('copy');
      area.remove();
    };
    if (navigator.clipboard && window.isSecureContext) {
      navigator.clipboard.writeText(text).catch(byHand);
    } else {
      byHand();
    }
  };
  page.setFullScreen = (on) => {
    if (on && !document.fullscreenElement) document.documentElement.requestFullscreen?.().catch(() => {});
    if (!on && document.fullscreenElement) document.exitFullscreen().catch(() => {});
  };

  page.showCanvas = () => {
    document.body.classList.add('running');
    page.firstPicture = performance.now();
  };
  page.showFailure = (why) => {
    document.body.classList.remove('running');
    document.getElementById('state').textContent = why;
  };

  // A browser may take the graphics away: its GPU process has ended, or too many pages have graphics.
  canvas.addEventListener('webglcontextlost', (event) => {
    event.preventDefault();
    if (Module._lanescope_graphics_lost) Module._lanescope_graphics_lost();
  });

  // The browser's store.
  page.keepSettings = () => FS.syncfs(false, (error) => { if (error) console.warn('settings are not kept:', error); });
  page.leaving = () => {
    if (Module._lanescope_leaving) Module._lanescope_leaving();
  };
  window.addEventListener('pagehide', () => page.leaving());

  // Another link pasted into the address is another start.
  window.addEventListener('hashchange', () => location.reload());

  page.prepare = () => {
    ENV.XDG_PICTURES_DIR = '/downloads';
    ENV.XDG_STATE_HOME = settingsFolder;
    FS.mkdir('/downloads');
    FS.mkdirTree(settingsFolder);
    FS.mount(IDBFS, {}, settingsFolder);
    addRunDependency('settings');
    FS.syncfs(true, (error) => {
      if (error) console.warn('settings cannot be read:', error);
      FS.mkdirTree(settingsFolder + '/lanescope');
      FS.chdir(settingsFolder + '/lanescope');
      removeRunDependency('settings');
    });
  };
  return page;
})();

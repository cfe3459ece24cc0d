// MuJoCo's mj_step on a quadruped that stands and one that trots, mjd_transitionFD on the one that
// stands, and mj_step on an ant that stands, measured as `cargo measure` measures its own. Built and run
// by `cargo xtask peers`:
//   mujoco LAIKAGO.xml ANT.xml [MILLISECONDS]
//
// All options are the file's, or MuJoCo's defaults: they are printed with each figure.
#include <math.h>
#include <mujoco/mujoco.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SETTLE = 20000, SETTLE_ANT = 2000, MAX_CHUNKS = 40, FEWEST = 5, MAX_REPETITIONS = 100000 };
// Velocities and controls of the quadruped.
enum { NV = 18, NU = 12 };

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Two strides a second around the home pose, diagonal legs together. A calf is drawn in while its
// thigh swings forward.
static void trot(const mjModel *m, mjData *d, int step) {
  const mjtNum *home = m->key_ctrl;
  for (int leg = 0; leg < 4; leg++) {
    double side = leg == 0 || leg == 3 ? 1.0 : -1.0;
    double swing = side * 0.08 * sin(4.0 * M_PI * step * m->opt.timestep);
    d->ctrl[3 * leg] = home[3 * leg];
    d->ctrl[3 * leg + 1] = home[3 * leg + 1] + swing;
    d->ctrl[3 * leg + 2] = home[3 * leg + 2] - 2.0 * fmax(swing, 0.0);
  }
  mj_step(m, d);
}

static void stand(const mjModel *m, mjData *d, int step) {
  (void)step;
  mj_step(m, d);
}

// Jacobians of a step by state and control; one-sided differences, which take half the steps. The
// state stays.
static void differentiate(const mjModel *m, mjData *d, int step) {
  static mjtNum by_state[2 * NV * 2 * NV], by_control[2 * NV * NU];
  (void)step;
  mjd_transitionFD(m, d, 1e-6, false, by_state, by_control, NULL, NULL);
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// Repeats the same steps, in chunks of some length. Whatever interrupts us lengthens some chunks only,
// each in another repetition: the sum of the shortest time of every chunk is what the steps take
// undisturbed.
static void measure(const char *function, const char *name, const mjModel *m, mjData *d,
                    const mjData *settled, void (*act)(const mjModel *, mjData *, int), int chunks,
                    int length, double time) {
  static double figures[MAX_REPETITIONS];
  double shortest[MAX_CHUNKS];
  for (int c = 0; c < chunks; c++) shortest[c] = INFINITY;
  long steps = 0, contacts = 0, iterations = 0;
  int repetitions = 0;
  double start = seconds();
  while (repetitions < MAX_REPETITIONS && (seconds() - start < time || repetitions < FEWEST)) {
    mj_copyData(d, m, settled);
    double whole = 0.0;
    for (int c = 0; c < chunks; c++) {
      double from = seconds();
      for (int i = c * length; i < (c + 1) * length; i++) {
        act(m, d, i);
        contacts += d->ncon;
        iterations += d->solver_niter[0];
      }
      double took = seconds() - from;
      whole += took;
      shortest[c] = fmin(shortest[c], took);
    }
    steps += chunks * length;
    figures[repetitions++] = whole;
  }
  qsort(figures, repetitions, sizeof(double), ascending);
  double sum = 0.0, per_step = 1e6 / (chunks * length);
  for (int c = 0; c < chunks; c++) sum += shortest[c];
  static const char *const solvers[] = {"PGS", "CG", "Newton"};
  static const char *const integrators[] = {"Euler", "RK4", "implicit", "implicitfast"};
  printf("{\"peer\":\"mujoco\",\"version\":\"%s\",\"fn\":\"%s\",\"scalar\":\"f64\","
         "\"model\":\"%s\",\"nv\":%d,\"us_min\":%.4f,\"us_median\":%.4f,\"contacts\":%.2f,"
         "\"iterations\":%.2f,\"solver\":\"%s\",\"cone\":\"%s\",\"integrator\":\"%s\","
         "\"warm_start\":%s,\"dt\":%g,\"height\":%.4f}\n",
         mj_versionString(), function, name, (int)m->nv, sum * per_step,
         figures[repetitions / 2] * per_step, (double)contacts / (double)steps,
         (double)iterations / (double)steps,
         solvers[m->opt.solver], m->opt.cone == mjCONE_PYRAMIDAL ? "pyramidal" : "elliptic",
         integrators[m->opt.integrator],
         m->opt.disableflags & mjDSBL_WARMSTART ? "false" : "true", m->opt.timestep, d->qpos[2]);
  fflush(stdout);
}

// A model with a keyframe; NULL, and a message, if the file has none or cannot be read.
static mjModel *load(const char *file) {
  char error[1000] = "";
  mjModel *m = mj_loadXML(file, NULL, error, sizeof error);
  if (m && m->nkey > 0) return m;
  fprintf(stderr, "%s: %s\n", file, m ? "no keyframe" : error);
  return NULL;
}

// Some steps from the keyframe on.
static mjData *settle(const mjModel *m, int steps) {
  mjData *d = mj_makeData(m);
  mj_resetDataKeyframe(m, d, 0);
  for (int i = 0; i < steps; i++) mj_step(m, d);
  return d;
}

int main(int argc, char **argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: mujoco LAIKAGO.xml ANT.xml [MILLISECONDS]\n");
    return 2;
  }
  double time = argc > 3 ? 1e-3 * atof(argv[3]) : 0.3;
  mjModel *m = load(argv[1]), *ant = load(argv[2]);
  if (!m || !ant) return 1;
  if (m->nu != NU || m->nv != NV || m->na != 0) {
    fprintf(stderr, "%s: expected a quadruped\n", argv[1]);
    return 1;
  }
  mjData *d = mj_makeData(m), *settled = settle(m, SETTLE);
  measure("step", "laikago_stand", m, d, settled, stand, 8, 25, time);
  measure("step", "laikago_trot", m, d, settled, trot, 40, 25, time);
  measure("step_vjp", "laikago_stand", m, d, settled, differentiate, 1, 1, time);
  mjData *ant_data = mj_makeData(ant), *ant_settled = settle(ant, SETTLE_ANT);
  measure("step", "ant_stand", ant, ant_data, ant_settled, stand, 8, 25, time);
  mj_deleteData(ant_settled);
  mj_deleteData(ant_data);
  mj_deleteModel(ant);
  mj_deleteData(settled);
  mj_deleteData(d);
  mj_deleteModel(m);
  return 0;
}

// Times Pinocchio's algorithms on a model written by scripts/peer_models.py.
// Built and run by `cargo xtask peers`; prints one JSON object a line, as `cargo measure --json` does.
#include "model.hpp"
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/joint-configuration.hpp>
#include <pinocchio/algorithm/kinematics.hpp>
#include <pinocchio/algorithm/rnea.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

namespace pin = pinocchio;
using Clock = std::chrono::steady_clock;

static volatile double sink;

static double seconds_since(Clock::time_point start)
{
  return std::chrono::duration<double>(Clock::now() - start).count();
}

template<class F>
static void measure(const char * function, const std::string & model, int nv, F run)
{
  int batch = 1;
  for (;; batch *= 2)
  {
    const auto start = Clock::now();
    for (int i = 0; i < batch; i++) run(i % 32);
    if (seconds_since(start) > 5e-4) break;
  }
  std::vector<double> figures;
  for (const auto start = Clock::now(); seconds_since(start) < 0.3 || figures.size() < 5;)
  {
    const auto one = Clock::now();
    for (int i = 0; i < batch; i++) run(i % 32);
    figures.push_back(seconds_since(one) / batch * 1e6);
  }
  std::sort(figures.begin(), figures.end());
  std::printf(
    "{\"peer\":\"pinocchio\",\"version\":\"%s\",\"fn\":\"%s\",\"scalar\":\"f64\",\"model\":\"%s\","
    "\"nv\":%d,\"us_min\":%.5f,\"us_median\":%.5f}\n",
    PINOCCHIO_VERSION, function, model.c_str(), nv, figures[0], figures[figures.size() / 2]);
  std::fflush(stdout);
}

int main(int argc, char ** argv)
{
  const std::string folder = argv[1];
  for (int a = 2; a < argc; a++)
  {
    const std::string name = argv[a];
    const pin::Model model = read_model(folder + "/" + name + ".txt").model;
    pin::Data data(model);
    std::vector<Eigen::VectorXd> q, v, u;
    for (int i = 0; i < 32; i++)
    {
      q.push_back(pin::integrate(model, pin::neutral(model), Eigen::VectorXd::Random(model.nv)));
      v.push_back(Eigen::VectorXd::Random(model.nv));
      u.push_back(Eigen::VectorXd::Random(model.nv));
    }
    const auto world = pin::Convention::WORLD, local = pin::Convention::LOCAL;
    measure("kinematics", name, model.nv, [&](int i) { pin::forwardKinematics(model, data, q[i]); sink = data.oMi.back().translation()[0]; });
    measure("aba_world", name, model.nv, [&](int i) { sink = pin::aba(model, data, q[i], v[i], u[i], world)[0]; });
    measure("aba_local", name, model.nv, [&](int i) { sink = pin::aba(model, data, q[i], v[i], u[i], local)[0]; });
    measure("rnea", name, model.nv, [&](int i) { sink = pin::rnea(model, data, q[i], v[i], u[i])[0]; });
    measure("crba_world", name, model.nv, [&](int i) { pin::crba(model, data, q[i], world); sink = data.M(0, 0); });
    measure("crba_local", name, model.nv, [&](int i) { pin::crba(model, data, q[i], local); sink = data.M(0, 0); });
    // All Jacobians of accelerations, with these: at once, or after them.
    measure("derivatives_whole", name, model.nv, [&](int i) { pin::computeABADerivatives(model, data, q[i], v[i], u[i]); sink = data.ddq_dq(0, 0); });
    measure("derivatives_after", name, model.nv, [&](int i) { pin::aba(model, data, q[i], v[i], u[i], world); pin::computeABADerivatives(model, data); sink = data.ddq_dq(0, 0); });
  }
}

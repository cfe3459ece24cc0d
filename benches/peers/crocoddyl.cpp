// Times Crocoddyl on a quadruped that crouches with its four feet held to the ground: an iteration of
// feasibility-driven DDP and its parts. `cargo measure --only crouch30` has the same task with feet that may slip and
// leave the ground. Built and run by `cargo xtask peers control`:
//   crocoddyl LAIKAGO.txt KNOTS...
// prints one JSON object a line, with times in microseconds per knot.
#include <crocoddyl/core/macros.hpp>
// The library's own instantiations are for any machine. Without these declarations all is compiled here, for this one.
#undef CROCODDYL_DECLARE_EXTERN_TEMPLATE_CLASS
#undef CROCODDYL_DECLARE_EXTERN_TEMPLATE_STRUCT
#undef CROCODDYL_DECLARE_FLOATINGPOINT_EXTERN_TEMPLATE_CLASS
#undef CROCODDYL_DECLARE_FLOATINGPOINT_EXTERN_TEMPLATE_STRUCT
#define CROCODDYL_DECLARE_EXTERN_TEMPLATE_CLASS(name)
#define CROCODDYL_DECLARE_EXTERN_TEMPLATE_STRUCT(name)
#define CROCODDYL_DECLARE_FLOATINGPOINT_EXTERN_TEMPLATE_CLASS(name)
#define CROCODDYL_DECLARE_FLOATINGPOINT_EXTERN_TEMPLATE_STRUCT(name)

#include <crocoddyl/core/activations/weighted-quadratic.hpp>
#include <crocoddyl/core/costs/cost-sum.hpp>
#include <crocoddyl/core/costs/residual.hpp>
#include <crocoddyl/core/integrator/euler.hpp>
#include <crocoddyl/core/optctrl/shooting.hpp>
#include <crocoddyl/core/residuals/control.hpp>
#include <crocoddyl/core/solvers/fddp.hpp>
#include <crocoddyl/multibody/actions/contact-fwddyn.hpp>
#include <crocoddyl/multibody/actuations/floating-base.hpp>
#include <crocoddyl/multibody/contacts/contact-3d.hpp>
#include <crocoddyl/multibody/contacts/multiple-contacts.hpp>
#include <crocoddyl/multibody/residuals/state.hpp>
#include <crocoddyl/multibody/states/multibody.hpp>

#include "model.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <string>
#include <vector>

// Some headers declare theirs without those macros, and the solvers are compiled without our changes.
template class crocoddyl::ActionModelAbstractTpl<double>;
template class crocoddyl::ResidualModelAbstractTpl<double>;
template class crocoddyl::ResidualModelAbstractTpl<float>;
template class crocoddyl::ResidualModelStateTpl<double>;
template class crocoddyl::ResidualModelStateTpl<float>;
template class crocoddyl::ShootingProblemTpl<double>;
template class crocoddyl::StateAbstractTpl<double>;
template class crocoddyl::StateAbstractTpl<float>;
template class crocoddyl::StateMultibodyTpl<double>;
template class crocoddyl::StateMultibodyTpl<float>;

using Eigen::VectorXd;
using std::make_shared;
using std::shared_ptr;
using Clock = std::chrono::steady_clock;

static const double dt = 0.01;  // [s], one knot
static const double least_seconds = 1.5;

/// Weights of poses, velocities and torques; `experiments/measure/crouch.rs` has the same.
static VectorXd weights(int nv, double trunk, double joints, double velocity)
{
  VectorXd w(2 * nv);
  w << VectorXd::Constant(6, trunk), VectorXd::Constant(nv - 6, joints), VectorXd::Constant(nv, velocity);
  return w;
}

struct Task
{
  shared_ptr<crocoddyl::StateMultibody> state;
  shared_ptr<crocoddyl::ActuationModelFloatingBase> actuation;
  std::vector<pinocchio::FrameIndex> feet;
  VectorXd start, target;

  explicit Task(const std::string & path)
  {
    const NamedModel read = read_model(path);
    feet = read.feet;
    state = make_shared<crocoddyl::StateMultibody>(make_shared<pinocchio::Model>(read.model));
    actuation = make_shared<crocoddyl::ActuationModelFloatingBase>(state);
    start = VectorXd::Zero(state->get_nx());
    start.head(7) << 0, 0, 0.409, 0, 0, 0, 1;
    for (int leg = 0; leg < 4; leg++) start.segment(7 + 3 * leg, 3) << 0, 0.7, -1.4;
    target = start;
    target[2] -= 0.05;
  }

  shared_ptr<crocoddyl::ActionModelAbstract> knot(bool is_last) const
  {
    const int nv = int(state->get_nv()), nu = int(actuation->get_nu());
    auto contacts = make_shared<crocoddyl::ContactModelMultiple>(state, nu);
    for (const auto foot : feet)
      contacts->addContact("foot" + std::to_string(foot), make_shared<crocoddyl::ContactModel3D>(
        state, foot, Eigen::Vector3d::Zero(), pinocchio::LOCAL_WORLD_ALIGNED, nu, Eigen::Vector2d(0, 50)));
    auto costs = make_shared<crocoddyl::CostModelSum>(state, nu);
    const auto weighted = make_shared<crocoddyl::ActivationModelWeightedQuad>(
      is_last ? weights(nv, 2000, 50, 2) : weights(nv, 200, 5, 0.1));
    const auto away = make_shared<crocoddyl::ResidualModelState>(state, target, nu);
    costs->addCost("state", make_shared<crocoddyl::CostModelResidual>(state, weighted, away), 1);
    if (!is_last)
    {
      const auto torques = make_shared<crocoddyl::ResidualModelControl>(state, nu);
      costs->addCost("torques", make_shared<crocoddyl::CostModelResidual>(state, torques), 1e-3);
    }
    const auto dynamics =
      make_shared<crocoddyl::DifferentialActionModelContactFwdDynamics>(state, actuation, contacts, costs);
    return make_shared<crocoddyl::IntegratedActionModelEuler>(dynamics, is_last ? 0.0 : dt);
  }
};

/// Iterates from the same candidate again and again, as `SolverFDDP::solve` does after its first iteration.
struct Iterating : crocoddyl::SolverFDDP
{
  using SolverFDDP::SolverFDDP;

  void begin(const std::vector<VectorXd> & xs, const std::vector<VectorXd> & us)
  {
    setCandidate(xs, us, true);
    problem_->calc(xs, us);
    iter_ = 1;  // `calcDiff` computes the dynamics itself only in iteration 0
    preg_ = dreg_ = 1e-9;
  }
};

/// The shortest time of each part of `run`, in microseconds.
template<class F>
static std::vector<double> shortest(int parts, F run)
{
  std::vector<double> least(parts, std::numeric_limits<double>::infinity());
  const auto start = Clock::now();
  do
    for (int part = 0; part < parts; part++)
    {
      const auto from = Clock::now();
      run(part);
      least[part] = std::min(least[part], std::chrono::duration<double>(Clock::now() - from).count() * 1e6);
    }
  while (std::chrono::duration<double>(Clock::now() - start).count() < least_seconds);
  return least;
}

int main(int argc, char ** argv)
{
  const Task task(argv[1]);
  for (int a = 2; a < argc; a++)
  {
    const int knots = std::atoi(argv[a]);
    std::vector<shared_ptr<crocoddyl::ActionModelAbstract>> running;
    for (int k = 0; k < knots; k++) running.push_back(task.knot(false));
    auto problem = make_shared<crocoddyl::ShootingProblem>(task.start, running, task.knot(true));
    const std::vector<VectorXd> standing(knots, task.start);
    const auto us = problem->quasiStatic_xs(standing);
    const auto xs = problem->rollout_us(us);

    Iterating solver(problem);
    solver.begin(xs, us);
    const auto us_of = shortest(4, [&](int part) {
      if (part == 0) problem->calc(xs, us);
      else if (part == 1) solver.calcDiff();
      else if (part == 2) solver.backwardPass();
      else solver.forwardPass(1.0);
    });

    crocoddyl::SolverFDDP search(problem);
    search.solve(xs, us, 100, true);
    std::printf(
      "{\"peer\":\"crocoddyl\",\"version\":\"3.2.1\",\"knots\":%d,\"dynamics_us\":%.3f,\"derivatives_us\":%.3f,"
      "\"backward_us\":%.3f,\"forward_us\":%.3f,\"iteration_us\":%.3f,\"iterations\":%d,\"cost\":%.6g,\"height\":%.4f}\n",
      knots, us_of[0] / knots, us_of[1] / knots, us_of[2] / knots, us_of[3] / knots,
      (us_of[1] + us_of[2] + us_of[3]) / knots, int(search.get_iter()), search.get_cost(), search.get_xs().back()[2]);
    std::fflush(stdout);
  }
}

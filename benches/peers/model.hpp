// Reads a model written by scripts/peer_models.py.
#pragma once
#include <pinocchio/multibody.hpp>

#include <fstream>
#include <string>
#include <vector>

struct NamedModel
{
  pinocchio::Model model;
  /// Frames of the model at the centres of its feet.
  std::vector<pinocchio::FrameIndex> feet;
};

// The number of joints, then a line for each: parent, kind (0 free, 1-3 revolute about x, y, z), rotation, position,
// mass, com, inertia about it. Then the number of feet, and a line for each: joint, position.
inline NamedModel read_model(const std::string & path)
{
  namespace pin = pinocchio;
  std::ifstream file(path);
  NamedModel read;
  pin::Model & model = read.model;
  auto number = [&] { double x; file >> x; return x; };
  auto vector = [&] { Eigen::Vector3d v; for (int i = 0; i < 3; i++) v[i] = number(); return v; };
  auto matrix = [&] { Eigen::Matrix3d m; for (int i = 0; i < 9; i++) m(i / 3, i % 3) = number(); return m; };
  const int joints = int(number());
  for (int i = 0; i < joints; i++)
  {
    const auto parent = pin::JointIndex(number());
    const int kind = int(number());
    const Eigen::Matrix3d rotation = matrix();
    const pin::SE3 placement(rotation, vector());
    const double mass = number();
    const Eigen::Vector3d com = vector();
    const pin::Inertia inertia(mass, com, pin::Symmetric3(Eigen::Matrix3d(matrix())));
    const std::string name = "joint" + std::to_string(i);
    const auto id = kind == 0   ? model.addJoint(parent, pin::JointModelFreeFlyer(), placement, name)
                    : kind == 1 ? model.addJoint(parent, pin::JointModelRX(), placement, name)
                    : kind == 2 ? model.addJoint(parent, pin::JointModelRY(), placement, name)
                                : model.addJoint(parent, pin::JointModelRZ(), placement, name);
    model.appendBodyToJoint(id, inertia, pin::SE3::Identity());
  }
  const int feet = int(number());
  for (int i = 0; i < feet; i++)
  {
    const auto joint = pin::JointIndex(number());
    const pin::SE3 placement(Eigen::Matrix3d::Identity(), vector());
    const std::string name = "foot" + std::to_string(i);
    read.feet.push_back(model.addFrame(pin::Frame(name, joint, 0, placement, pin::OP_FRAME)));
  }
  return read;
}

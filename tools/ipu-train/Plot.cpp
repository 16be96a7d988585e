//===- Plot.cpp - The losses of a training as a picture -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "History.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::train;

namespace {
struct Point {
  double x = 0, y = 0;
};
using Curve = std::vector<Point>;

/// A plot with an axis of updates and an axis of values. Positions are in
/// pixels.
class Panel {
public:
  Panel(llvm::raw_ostream &os, double top, double updates, double low,
        double high)
      : os(os), top(top), updates(updates), low(low),
        high(high > low ? high : low + 1) {}

  void drawAxes(StringRef title, bool isPercent);
  void drawCurve(const Curve &curve, StringRef style, bool hasDots);

  static constexpr double kLeft = 70, kWidth = 540, kHeight = 200;

private:
  double getX(double update) const { return kLeft + kWidth * update / updates; }
  double getY(double value) const {
    return top + kHeight * (high - value) / (high - low);
  }

  llvm::raw_ostream &os;
  double top, updates, low, high;
};
} // namespace

/// Returns a round number that is about a fifth of `range`.
static double getStep(double range) {
  double power = std::pow(10, std::floor(std::log10(range / 5)));
  for (double factor : {1, 2, 5})
    if (range / (factor * power) <= 6)
      return factor * power;
  return 10 * power;
}

void Panel::drawAxes(StringRef title, bool isPercent) {
  os << llvm::formatv("<text x=\"{0}\" y=\"{1}\">{2}</text>\n", kLeft, top - 10,
                      title);
  double step = getStep(high - low);
  for (double tick = std::ceil(low / step) * step; tick <= high + step * 1e-6;
       tick += step) {
    double y = getY(tick);
    // Tick 0 must be neither -0 nor a rounding error.
    double value = std::abs(tick) < step / 2 ? 0 : tick;
    os << llvm::formatv("<path class=\"grid\" d=\"M{0} {1:F1}H{2}\"/>"
                        "<text class=\"end\" x=\"{3}\" y=\"{4:F1}\">",
                        kLeft, y, kLeft + kWidth, kLeft - 8, y + 4);
    if (isPercent)
      os << llvm::format("%.4g %%", value * 100);
    else
      os << llvm::format("%.4g", value);
    os << "</text>\n";
  }
  step = std::max(1.0, getStep(updates));
  for (double tick = 0; tick <= updates; tick += step)
    os << llvm::formatv("<text class=\"middle\" x=\"{0:F1}\" "
                        "y=\"{1}\">{2:F0}</text>\n",
                        getX(tick), top + kHeight + 18, tick);
}

void Panel::drawCurve(const Curve &curve, StringRef style, bool hasDots) {
  if (curve.empty())
    return;
  os << "<path class=\"" << style << "\" d=\"";
  char command = 'M';
  for (const Point &point : curve) {
    os << command << llvm::format("%.1f %.1f", getX(point.x), getY(point.y));
    command = 'L';
  }
  os << "\"/>\n";
  if (hasDots)
    for (const Point &point : curve)
      os << llvm::formatv("<circle class=\"{0}\" cx=\"{1:F1}\" cy=\"{2:F1}\" "
                          "r=\"3\"/>\n",
                          style, getX(point.x), getY(point.y));
}

/// Replaces neighbouring points by their means, so that a curve has at most as
/// many points as are visible.
static Curve thin(const Curve &curve) {
  constexpr size_t kMaxPoints = 270;
  size_t size = (curve.size() + kMaxPoints - 1) / kMaxPoints;
  Curve result;
  for (size_t i = 0; i < curve.size(); i += size) {
    Point mean;
    size_t end = std::min(curve.size(), i + size);
    for (size_t j = i; j < end; ++j) {
      mean.x += curve[j].x / (end - i);
      mean.y += curve[j].y / (end - i);
    }
    result.push_back(mean);
  }
  return result;
}

static void drawPanel(llvm::raw_ostream &os, double top, double updates,
                      StringRef title, const Curve &training,
                      const Curve &validation, bool isPercent) {
  double low = 0, high = isPercent ? 1 : 0;
  for (const Curve *curve : {&training, &validation})
    for (const Point &point : *curve) {
      low = std::min(low, point.y);
      high = std::max(high, point.y);
    }
  Panel panel(os, top, updates, low, high);
  panel.drawAxes(title, isPercent);
  panel.drawCurve(training, "training", /*hasDots=*/false);
  panel.drawCurve(validation, "validation", /*hasDots=*/true);
}

void train::writePlot(llvm::raw_ostream &os, const History &history) {
  Curve losses, accuracies, validationLosses, validationAccuracies;
  auto add = [](double x, const Score &score, Curve &loss, Curve &accuracy) {
    loss.push_back({x, score.loss});
    if (score.accuracy)
      accuracy.push_back({x, *score.accuracy});
  };
  for (const HistoryRow &row : history) {
    add(row.update, row.training, losses, accuracies);
    if (row.validation)
      add(row.update, *row.validation, validationLosses, validationAccuracies);
  }
  bool hasAccuracy = !accuracies.empty();
  double updates = history.empty() ? 1 : history.back().update;
  int height = hasAccuracy ? 580 : 310;
  os << llvm::formatv(
      R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 {0}" font-family="sans-serif" font-size="12">
<style>
text {{ fill: #24292f; } .end {{ text-anchor: end; } .middle {{ text-anchor: middle; }
path {{ fill: none; stroke-width: 1.5; } .grid {{ stroke: #d0d7de; stroke-width: 1; }
path.training {{ stroke: #0969da; } text.training {{ fill: #0969da; }
path.validation {{ stroke: #bc4c00; } text.validation, circle.validation {{ fill: #bc4c00; }
@media (prefers-color-scheme: dark) {{
text {{ fill: #e6edf3; } .grid {{ stroke: #30363d; }
path.training {{ stroke: #58a6ff; } text.training {{ fill: #58a6ff; }
path.validation {{ stroke: #f0883e; } text.validation, circle.validation {{ fill: #f0883e; }
}
</style>
)",
      height);
  os << "<text class=\"training\" x=\"380\" y=\"20\">training</text>\n";
  if (!validationLosses.empty())
    os << "<text class=\"validation\" x=\"460\" y=\"20\">validation</text>\n";
  drawPanel(os, 40, updates, "loss", thin(losses), validationLosses,
            /*isPercent=*/false);
  if (hasAccuracy)
    drawPanel(os, 310, updates, "accuracy", thin(accuracies),
              validationAccuracies, /*isPercent=*/true);
  os << llvm::formatv("<text class=\"middle\" x=\"340\" y=\"{0}\">updates"
                      "</text>\n</svg>\n",
                      height - 15);
}

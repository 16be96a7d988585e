//===- Trainer.cpp - Updates of a training --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Trainer.h"

#include "Inputs.h"
#include "Interruption.h"
#include "LearningRate.h"
#include "ModelFiles.h"
#include "ModelValues.h"
#include "NonFinite.h"
#include "ipu-mlir/Executor/Profile/ProfileReport.h"
#include "ipu-mlir/Host/Npy.h"
#include "ipu-mlir/Tools/Compile.h"
#include "ipu-mlir/Tools/Files.h"
#include "ipu-mlir/Tools/Progress.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include <cmath>

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::train;
using Clock = std::chrono::steady_clock;

//===----------------------------------------------------------------------===//
// Updates
//===----------------------------------------------------------------------===//

ArrayRef<int64_t> Trainer::getRows(int64_t update) {
  int64_t epoch = update / getUpdatesOfEpoch();
  if (epoch != orderedEpoch)
    order = shuffle(training.data.getNumSamples(), options.seed, epoch);
  orderedEpoch = epoch;
  return ArrayRef(order).slice(update % getUpdatesOfEpoch() *
                                   model.getUpdateBatch(),
                               model.getUpdateBatch());
}

/// The factor of the sum of the losses of labels is the reciprocal of the
/// weight of all labels of the update.
TensorMap Trainer::getInputs(const Session &session, int64_t number) {
  InputsOfRun run{getRows(number), number, options.seed};
  if (options.hasLabels())
    run.factor = 1 / training.data.getWeight(run.rows);
  return makeInputs(session, training.data, run);
}

static StringRef describeNumber(double number) {
  return std::isnan(number) ? "NaN" : "infinite";
}

Status Trainer::update(int64_t number) {
  if (Status status = keepVariables(number); status != Status::Success)
    return status;
  Clock::time_point start = Clock::now();
  if (options.hasLabels() && training.data.getWeight(getRows(number)) == 0)
    return report(Status::BadUsage,
                  "'" + options.data + "': expects labels that count in each " +
                      "update but has none for update " + Twine(number + 1) +
                      ", because all of its labels are ignored or have the "
                      "weight 0; leave out samples without such labels");
  TensorMap inputs = getInputs(*training.session, number);
  llvm::Expected<TensorMap> outputs = training.session->run(inputs);
  if (!outputs) {
    // A diagnostic already reported the error.
    llvm::consumeError(outputs.takeError());
    return reportNotRun(options);
  }
  Evaluation evaluation(options, model);
  int64_t samples = model.getUpdateBatch();
  // The losses of labels are already quotients.
  std::optional<double> divisor;
  if (options.hasLabels())
    divisor = 1;
  evaluation.addLosses(outputs->at(kLossName.str()), samples, samples, divisor);
  if (options.loss->targets != Targets::Values)
    evaluation.addPredictions(outputs->at(model.output),
                              inputs.at(model.target), samples, samples);
  HistoryRow row;
  row.update = number + 1;
  row.epoch = number / getUpdatesOfEpoch() + 1;
  row.training = evaluation.getScore();
  row.deviceSeconds = 1e-9 * training.session->getProfile().nanoseconds;
  hostTime += Clock::now() - start;
  if (!evaluation.isFinite())
    return report(Status::Mismatch,
                  "the loss of update " + Twine(row.update) + " is " +
                      describeNumber(row.training.loss) + diagnose(number));
  if (nextSnapshot)
    snapshot = std::exchange(nextSnapshot, std::nullopt);
  history.push_back(row);
  return Status::Success;
}

/// Returns the values, after the last update, of the variables that session
/// `of` has as variables or as inputs with defaults. All other inputs with
/// defaults are not trained.
FailureOr<TensorMap> Trainer::readVariables(const Session &of) {
  llvm::StringSet<> variables;
  for (const SessionTensor &variable : training.session->getVariables())
    variables.insert(variable.name);
  SmallVector<StringRef> names;
  for (ArrayRef<SessionTensor> tensors : {of.getVariables(), of.getInputs()})
    for (const SessionTensor &tensor : tensors)
      if (variables.contains(tensor.name))
        names.push_back(tensor.name);
  llvm::Expected<TensorMap> values = training.session->getTensors(names);
  if (values)
    return std::move(*values);
  report(Status::BadModel, values.takeError());
  return failure();
}

Status Trainer::findMasks() {
  FailureOr<TensorMap> variables = readVariables(*training.session);
  if (failed(variables))
    return Status::BadModel;
  for (const auto &[name, tensor] : *variables)
    if (describeNonFinite(tensor))
      masks.insert(name);
  return Status::Success;
}

Status Trainer::readFiniteVariables(TensorMap &variables) {
  FailureOr<TensorMap> values = readVariables(*training.session);
  if (failed(values))
    return Status::BadModel;
  variables = std::move(*values);
  for (const auto &[name, tensor] : variables)
    if (!masks.contains(name))
      if (std::optional<std::string> element = describeNonFinite(tensor))
        return report(Status::Mismatch,
                      "variable '" + name + "' is not finite after update " +
                          Twine(history.size()) + ": it has " + *element);
  return Status::Success;
}

Status Trainer::keepVariables(int64_t number) {
  constexpr int64_t kInterval = 32;
  if (snapshot && number < snapshot->update + kInterval)
    return Status::Success;
  FailureOr<TensorMap> variables = readVariables(*training.session);
  if (failed(variables))
    return Status::BadModel;
  (snapshot ? nextSnapshot : snapshot) = {std::move(*variables), number};
  return Status::Success;
}

std::string Trainer::diagnose(int64_t number) {
  Progress::get().show("looking for the first tensor that is not finite");
  FailureOr<std::unique_ptr<Session>> session = compileDiagnosis();
  if (failed(session))
    return "";
  if (llvm::Error error = (*session)->restoreTensors(snapshot->variables)) {
    llvm::consumeError(std::move(error));
    return "";
  }
  std::string found =
      findNonFinite(**session, snapshot->update, number, [&](int64_t update) {
        return getInputs(**session, update);
      });
  return found.empty() ? "" : "; " + found;
}

static std::string describeLoss(int64_t epoch, const Evaluation &evaluation) {
  return llvm::formatv("the validation loss of epoch {0} is {1}", epoch,
                       describeNumber(evaluation.getScore().loss));
}

static std::string describeSamples(int64_t first, int64_t count) {
  if (count == 1)
    return llvm::formatv("sample {0}", first);
  return llvm::formatv("the samples from {0} to {1}", first, first + count - 1);
}

Status Trainer::validate(int64_t epoch, Score &score) {
  Session &session = *validation.session;
  FailureOr<TensorMap> values = readVariables(session);
  if (failed(values))
    return Status::BadModel;
  TensorMap defaults;
  for (const SessionTensor &input : session.getInputs())
    if (auto value = values->extract(input.name))
      defaults.insert(std::move(value));
  if (llvm::Error error = session.restoreTensors(std::move(*values)))
    return report(Status::BadModel, std::move(error));
  Session::Context attached(session);
  Evaluation evaluation(options, model);
  int64_t samples = model.partSize * model.replicas;
  for (int64_t first = 0, end = validation.data.getNumSamples(); first < end;
       first += samples) {
    std::vector<int64_t> rows(samples);
    int64_t count = std::min(samples, end - first);
    for (int64_t i = 0; i < samples; ++i)
      rows[i] = i < count ? first + i : 0;
    TensorMap inputs = makeInputs(session, validation.data,
                                  {rows, /*update=*/0, options.seed});
    inputs.insert(defaults.begin(), defaults.end());
    llvm::Expected<TensorMap> outputs = session.run(inputs);
    if (!outputs) {
      llvm::consumeError(outputs.takeError());
      return reportNotRun(options);
    }
    const HostTensor &losses = outputs->at(kLossName.str());
    std::optional<double> divisor;
    if (options.hasLabels())
      divisor = validation.data.getWeight(ArrayRef(rows).take_front(count));
    if (std::optional<int64_t> nonFinite =
            evaluation.addLosses(losses, count, samples, divisor)) {
      // Some models have one loss for all samples that they take.
      bool isOfSample = losses.type.getNumElements() >= samples;
      return report(Status::Mismatch,
                    describeLoss(epoch, evaluation) +
                        "; the first such loss is that of " +
                        describeSamples(first + *nonFinite,
                                        isOfSample ? 1 : model.partSize) +
                        " of '" + options.validationData + "'");
    }
    if (options.loss->targets != Targets::Values)
      evaluation.addPredictions(outputs->at(model.output),
                                inputs.at(model.target), count, samples);
  }
  // Finite losses may have an infinite sum.
  if (!evaluation.isFinite())
    return report(Status::Mismatch, describeLoss(epoch, evaluation));
  score = evaluation.getScore();
  return Status::Success;
}

//===----------------------------------------------------------------------===//
// Messages and saved data
//===----------------------------------------------------------------------===//

static std::string formatScore(const Options &options, const Score &score) {
  std::string text = "loss " + formatLoss(score.loss);
  if (options.printsPerplexity)
    text += ", perplexity " + formatLoss(score.getPerplexity());
  if (score.accuracy)
    text += llvm::formatv(", accuracy {0:F2} %", *score.accuracy * 100);
  if (score.topAccuracy)
    text += llvm::formatv(", top-{0} accuracy {1:F2} %", options.topK,
                          *score.topAccuracy * 100);
  return text;
}

/// Describes the speed of the updates of this process from row `firstRow` on.
std::string Trainer::describeSpeed(size_t firstRow) const {
  double device = 0;
  for (const HistoryRow &row : ArrayRef(history).drop_front(firstRow))
    device += row.deviceSeconds;
  double samples = double(history.size() - firstRow) * model.getUpdateBatch();
  double host = std::chrono::duration<double>(hostTime).count();
  return llvm::formatv("{0:F0} samples/s simulated, {1:F0} samples/s on the "
                       "host",
                       samples / device, samples / host);
}

void Trainer::showProgress(const HistoryRow &row) {
  if (!Progress::get().isDue())
    return;
  int64_t updates = getUpdatesOfEpoch();
  Progress::get().showText(
      llvm::formatv("epoch {0} of {1}, update {2} of {3}, {4}, {5}", row.epoch,
                    options.epochs, (row.update - 1) % updates + 1, updates,
                    formatScore(options, row.training), describeSpeed(epochRow))
          .str());
}

Status Trainer::endEpoch(int64_t epoch) {
  Score mean;
  int64_t updates = getUpdatesOfEpoch();
  ArrayRef<HistoryRow> rows = ArrayRef(history).take_back(updates);
  for (const HistoryRow &row : rows) {
    mean.loss += row.training.loss / updates;
    auto add = [&](std::optional<double> Score::*member) {
      if (std::optional<double> value = row.training.*member)
        mean.*member = (mean.*member).value_or(0) + *value / updates;
    };
    add(&Score::accuracy);
    add(&Score::topAccuracy);
  }
  std::string text =
      llvm::formatv("epoch {0}: {1}", epoch, formatScore(options, mean)).str();
  if (validation.session) {
    Progress::get().showText("validating");
    Score score;
    if (Status status = validate(epoch, score); status != Status::Success)
      return status;
    history.back().validation = score;
    checkPatience();
    text += ", validation " + formatScore(options, score);
  }
  text += ", " + describeSpeed(epochRow);
  Progress::get().clear();
  options.getTextStream() << text << '\n';
  llvm::outs().flush();
  if (Status status = saveBest(); status != Status::Success)
    return status;
  return writePlot();
}

void Trainer::checkPatience() {
  isPatienceOver =
      options.patience && countEpochsAfterBest(history) >= options.patience;
}

Status Trainer::endWithoutUpdate(int64_t end) {
  Progress::get().clear();
  if (int64_t(history.size()) >= end)
    options.getTextStream()
        << describeEnd(history.size(), end, options.epochs) << '\n';
  llvm::outs().flush();
  return writePlot();
}

void Trainer::printBestEpoch() {
  const HistoryRow *best = findBestEpoch(history);
  if (!best || (!options.patience && options.saveBest.empty()))
    return;
  std::string text = describeBestEpoch(*best);
  if (isPatienceOver)
    text = "stopped early, after update " + std::to_string(history.size()) +
           "; " + text;
  options.getTextStream() << text << '\n';
  llvm::outs().flush();
}

Status Trainer::endInterrupted() {
  // The plot is otherwise written after each epoch.
  if (Status status = writePlot(); status != Status::Success)
    return status;
  if (Status status = finish(); status != Status::Success)
    return status;
  Progress::get().clear();
  llvm::errs() << getToolName() << ": interrupted after update "
               << history.size()
               << (folder ? "; --resume continues from there"
                          : "; no training can continue from there, because "
                            "there is no --checkpoint");
  if (!folder && options.saveWeights.empty() && options.saveONNX.empty())
    llvm::errs() << "; the weights are lost, because there is no "
                    "--save-weights";
  if (options.needsProfile() && history.size() == firstRow)
    llvm::errs() << "; there is no profile, because no update ran";
  llvm::errs() << '\n';
  return folder ? Status::Interrupted : Status::Stopped;
}

Status Trainer::openLog() {
  if (options.log.empty())
    return Status::Success;
  std::error_code code;
  log = std::make_unique<llvm::raw_fd_ostream>(options.log, code);
  if (code)
    return report(Status::BadUsage, "'" + options.log + "': " + code.message());
  writeHeader(*log, {options.topK, options.printsPerplexity});
  if (Status status = flushLog(); status != Status::Success)
    return status;
  for (const HistoryRow &row : history)
    if (Status status = writeLog(row); status != Status::Success)
      return status;
  return Status::Success;
}

Status Trainer::writeLog(const HistoryRow &row) {
  if (!log)
    return Status::Success;
  writeRow(*log, {options.topK, options.printsPerplexity}, row,
           getLearningRate(optimizer, row.update - 1));
  return flushLog();
}

Status Trainer::flushLog() {
  log->flush();
  if (!log->has_error())
    return Status::Success;
  std::error_code code = log->error();
  log->clear_error();
  return report(Status::BadUsage, "'" + options.log + "': " + code.message());
}

Status Trainer::writePlot() {
  if (options.plot.empty())
    return Status::Success;
  auto file = OutputFile::create(options.plot);
  if (!file)
    return report(Status::BadUsage, file.takeError());
  train::writePlot((*file)->os(), history);
  if (llvm::Error error = (*file)->keep())
    return report(Status::BadUsage, std::move(error));
  return Status::Success;
}

Status Trainer::save(const Settings &settings) {
  if (!folder)
    return Status::Success;
  TensorMap variables;
  if (Status status = readFiniteVariables(variables); status != Status::Success)
    return status;
  if (llvm::Error error = folder->save(variables, history, settings, context))
    return report(Status::BadUsage, std::move(error));
  return Status::Success;
}

Status Trainer::saveWeights(ArrayRef<StringRef> paths) {
  TensorMap values;
  if (Status status = readFiniteVariables(values); status != Status::Success)
    return status;
  std::vector<NamedTensor> weights;
  weights.reserve(model.saved.size());
  // A variable that the loss does not need may not be in the program; it has
  // its initial value.
  for (const SavedTensor &saved : model.saved)
    if (auto it = values.find(saved.name); it != values.end())
      weights.push_back(
          {saved.name, getModelValue(std::move(it->second), saved)});
  for (StringRef path : paths)
    if (!path.empty())
      if (llvm::Error error =
              writeWeights(path, options.model, weights, context))
        return report(Status::BadUsage, std::move(error));
  return Status::Success;
}

Status Trainer::saveBest() {
  if (options.saveBest.empty() ||
      findBestEpoch(history)->update != history.back().update)
    return Status::Success;
  return saveWeights(StringRef(options.saveBest));
}

Status Trainer::finish() {
  printBestEpoch();
  Status status = saveWeights({options.saveWeights, options.saveONNX});
  return status == Status::Success ? writeProfile() : status;
}

Status Trainer::writeProfile() {
  // A signal may have interrupted the training before its first update.
  if (!options.needsProfile() || history.size() == firstRow)
    return Status::Success;
  const Profile &profile = training.session->getProfile();
  auto write = [](StringRef path,
                  function_ref<void(llvm::raw_ostream &)> print) {
    if (path.empty())
      return Status::Success;
    auto file = OutputFile::create(path);
    if (!file)
      return report(Status::BadUsage, file.takeError());
    print((*file)->os());
    if (llvm::Error error = (*file)->keep())
      return report(Status::BadUsage, std::move(error));
    return Status::Success;
  };
  Status status = write(options.profile, [&](llvm::raw_ostream &os) {
    ipu::writeProfile(profile, os);
  });
  if (status != Status::Success)
    return status;
  return write(options.report, [&](llvm::raw_ostream &os) {
    ipu::writeReport(llvm::sys::path::filename(options.model), profile,
                     getReportInfo(options.args), os);
  });
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

Status Trainer::resume(Checkpoint checkpoint) {
  history = std::move(checkpoint.history);
  auto fails = [&](llvm::Error error) {
    return report(Status::BadUsage, "'" + folder->getFile() + "': " +
                                        llvm::toString(std::move(error)));
  };
  for (const SessionTensor &variable : training.session->getVariables())
    if (!checkpoint.variables.count(variable.name))
      return fails(makeError("expects variable '" + variable.name + "'"));
  // The files of NumPy have no f8.
  for (const SessionTensor &variable : training.session->getVariables())
    viewAs(variable.type.getElementType(),
           checkpoint.variables.at(variable.name));
  if (llvm::Error error =
          training.session->restoreTensors(std::move(checkpoint.variables)))
    return fails(std::move(error));
  return Status::Success;
}

Status Trainer::run(const Settings &settings) {
  if (Status status = openLog(); status != Status::Success)
    return status;
  Session::Context attached(*training.session);
  if (!attached.isOwner())
    return reportNotRun(options);
  int64_t updates = getUpdatesOfEpoch();
  epochRow = firstRow = history.size();
  if (Status status = findMasks(); status != Status::Success)
    return status;
  bool isSaved = true;
  Interruption interruption;
  int64_t number = history.size(), end = updates * options.epochs;
  checkPatience();
  if (number >= end || isPatienceOver)
    if (Status status = endWithoutUpdate(end); status != Status::Success)
      return status;
  for (; number < end && !isPatienceOver && !interruption.isRequested();
       ++number) {
    if (Status status = update(number); status != Status::Success)
      return status;
    showProgress(history.back());
    bool isEpochsEnd = (number + 1) % updates == 0;
    if (isEpochsEnd)
      if (Status status = endEpoch(history.back().epoch);
          status != Status::Success)
        return status;
    if (Status status = writeLog(history.back()); status != Status::Success)
      return status;
    isSaved = options.checkpointEvery
                  ? (number + 1) % options.checkpointEvery == 0
                  : isEpochsEnd;
    if (isSaved)
      if (Status status = save(settings); status != Status::Success)
        return status;
    if (isEpochsEnd) {
      epochRow = history.size();
      hostTime = {};
    }
  }
  if (!isSaved)
    if (Status status = save(settings); status != Status::Success)
      return status;
  // A signal in the last validation leaves no update undone.
  if (number >= end || isPatienceOver)
    return finish();
  return endInterrupted();
}

import ActivityContract
import Foundation
import ImportFormats
import InProcess
import Operations
import ServiceKit
import Testing

extension Person {
  /// Sends a file in chunks and waits until it was read.
  func importFile(
    _ name: String, _ bytes: [UInt8], format: ImportFormat? = nil, sha256: String? = nil, person: String? = nil,
    movement: ExerciseKind? = nil, chunk: Int = 100_000
  ) async throws -> Import {
    let made = try await upload(
      name, bytes, format: format, sha256: sha256, person: person, movement: movement, chunk: chunk)
    _ = try await send(CompleteImport.self, .init(importID: made.id))
    return try await end(of: made.id)
  }

  func importFile(_ name: String, _ text: String, person: String? = nil) async throws -> Import {
    try await importFile(name, Array(text.utf8), person: person)
  }

  /// Sends a file in chunks, without completing it.
  func upload(
    _ name: String, _ bytes: [UInt8], format: ImportFormat? = nil, sha256: String? = nil, person: String? = nil,
    movement: ExerciseKind? = nil, chunk: Int = 100_000
  ) async throws -> Import {
    let made = try await send(
      CreateImport.self,
      .init(name: name, totalBytes: bytes.count, format: format, sha256: sha256, person: person, movement: movement))
    var offset = 0
    while offset < bytes.count {
      let content = Base64Bytes(Array(bytes[offset..<min(offset + chunk, bytes.count)]))
      offset = try await send(UploadImportChunk.self, .init(importID: made.id, offset: offset, content: content)).nextOffset
    }
    return made
  }

  /// Waits until an import has ended, which the service publishes.
  func end(of id: ImportID) async throws -> Import {
    try await answer(from: .activity) {
      let found = try await send(GetImport.self, .init(importID: id))
      return found.state.isEnded ? found : nil
    }
  }

  /// Waits until there is no file of the person's left: an import's end is published before its file is removed.
  func areFilesGone(from home: Home) async throws -> Bool {
    try await answer(from: .activity) {
      FileManager.default.fileExists(atPath: "\(home.path)/imports/\(id)") ? nil : true
    }
  }

  /// The code of the reason for which a file is refused when it is completed; nil where it is taken.
  func refusal(_ name: String, _ bytes: [UInt8], format: ImportFormat? = nil) async throws -> String? {
    let made = try await upload(name, bytes, format: format)
    do {
      _ = try await send(CompleteImport.self, .init(importID: made.id))
      return nil
    } catch let failure as Failure {
      #expect(failure.code == ImportFailure.unusable.rawValue)
      return failure.parameters["reason"]?.description
    }
  }

  /// The problems of an import, as `line reason`.
  func problems(of id: ImportID) async throws -> [String] {
    try await send(ListImportProblems.self, .init(importID: id)).items.map { "\($0.line) \($0.code)" }
  }

  /// The sum of all days' steps.
  func steps(from: String = "2015-01-01", days: Int = 4000) async throws -> Int {
    var (sum, day) = (0, try LocalDay(text: from))
    let last = day.advanced(by: days)
    while day < last {
      let to = day.advanced(by: 399)
      sum += try await send(ListMovementDays.self, .init(from: day, to: to)).items.map(\.steps).reduce(0, +)
      day = to.advanced(by: 1)
    }
    return sum
  }
}

/// The real files beside the project.
enum RealFile {
  /// The file's bytes; nil, with a word, where the files are not there.
  static func read(_ path: String) throws -> [UInt8]? {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let file = root.deletingLastPathComponent().appendingPathComponent("shared/data/\(path)").path
    guard let data = FileManager.default.contents(atPath: file) else {
      print("skipped: \(path) is not beside the project")
      return nil
    }
    return [UInt8](data)
  }
}

/// A file of the test's own.
struct TemporaryFile: ~Copyable {
  let path: String
  let file: ImportFile

  init(_ name: String, _ bytes: [UInt8]) throws {
    path = "/tmp/racha-import-\(UInt64.random(in: .min ... .max))"
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    file = ImportFile(try FileContents(path: path), name: name)
  }

  init(_ name: String, _ text: String) throws { try self.init(name, Array(text.utf8)) }

  deinit { unlink(path) }

  /// All records of the file, by what it is, and the fault that ended the reading.
  func read(person: String? = nil, maximum: Int = 1000) throws -> (records: [ImportedRecord], fault: FormatFault?) {
    var records: [ImportedRecord] = []
    do throws(FormatFault) {
      let reader = try file.reader(try file.format(), person: person)
      while let more = try reader.next(maximum: maximum) { records += more }
    } catch {
      return (records, error)
    }
    return (records, nil)
  }
}

extension [ImportedRecord] {
  var samples: [ImportedSample] {
    compactMap { if case .sample(let sample) = $0.content { sample } else { nil } }
  }

  var exercises: [FoundExercise] {
    compactMap { if case .exercise(let exercise) = $0.content { exercise } else { nil } }
  }

  var habits: [ImportedHabit] {
    compactMap { if case .habit(let habit) = $0.content { habit } else { nil } }
  }

  var marks: [ImportedMark] {
    compactMap { if case .mark(let mark) = $0.content { mark } else { nil } }
  }

  /// The faults as `line reason`.
  var faults: [String] {
    compactMap { if case .fault(let reason) = $0.content { "\($0.line) \(reason)" } else { nil } }
  }
}

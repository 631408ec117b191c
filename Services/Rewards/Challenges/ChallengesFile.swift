import CBuiltInChallenges
import Foundation
import Operations
import RewardsContract
import ServiceKit

/// A file of definitions: those that ship with the program, and the operator's own in `challenges.json` in the home folder, read at each
/// start. A definition whose id already exists is not changed.
struct ChallengesFile: Document {
  static let name = "challenges.json"

  /// A definition with its id.
  struct Item: Document, Hashable {
    let id: ChallengeID
    let terms: ChallengeTerms

    static let notes: Notes = ["id": "A UUID that names it.", "terms": "What it asks for and gives."]
  }

  /// Why the file cannot be used.
  struct Invalid: Error, CustomStringConvertible {
    let path: String
    let failure: Failure

    var description: String {
      let fields = failure.fields.map { "\($0.field): \($0.code)" }.joined(separator: "; ")
      return "\(path) cannot be used: \(failure.code) \(fields)"
    }
  }

  let challenges: [Item]

  static let notes: Notes = ["challenges": Note("The definitions.", items: 0...ChallengeDefinitionStore.maxActive)]

  /// Returns the definitions to store: the operator's own first, then those that ship with the program, unless `racha.challenges.builtIn`
  /// is false.
  ///
  /// - Throws: ``Invalid``.
  static func published(_ environment: ServiceEnvironment) throws -> [Item] {
    let shipsWithProgram = environment.settings.bool("racha.challenges.builtIn", default: true)
    return try read(inHome: environment.home.path) + (shipsWithProgram ? try builtIn() : [])
  }

  /// The definitions that ship with the program.
  ///
  /// - Throws: ``Invalid`` if the built-in file is invalid, which a test rules out.
  static func builtIn() throws -> [Item] { try read([UInt8](built_in_challenges), from: "the built-in \(name)") }

  /// Reads the definitions of the operator's file; none where there is no file.
  ///
  /// - Throws: ``Invalid``, which names the fault's position.
  static func read(inHome home: String) throws -> [Item] {
    let path = "\(home)/\(name)"
    guard FileManager.default.fileExists(atPath: path) else { return [] }
    return try read([UInt8](try Data(contentsOf: URL(fileURLWithPath: path))), from: path)
  }

  private static func read(_ bytes: [UInt8], from path: String) throws -> [Item] {
    do {
      return try ChallengesFile.decode(bytes).challenges
    } catch {
      throw Invalid(path: path, failure: error)
    }
  }
}

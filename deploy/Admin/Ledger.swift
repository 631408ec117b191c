import ArgumentParser
import Foundation
import RewardsService

/// Looks into the ledger of coins.
struct Ledger: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ledger", abstract: "Tools for the ledger of coins.", subcommands: [CheckLedger.self])
}

/// Proves a ledger of coins by its store alone.
struct CheckLedger: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Verify a ledger: each balance by its transfers and lots, their sum zero, no gap, no transfer without cause.",
    discussion: """
      Exits with 0 if all is well, with 1 and a line for each fault if the ledger is wrong, and with 2 if that could not be determined. \
      The store may be in use meanwhile; nothing is changed.
      """)

  @Argument(help: "The store of rewards (rewards.sqlite), or a folder that holds it: a home folder or a backup.") var path: String

  func run() throws {
    let check: LedgerCheck
    let file: String
    do {
      file = try Self.store(at: path)
      check = try LedgerCheck.prove(path: file)
    } catch {
      FileHandle.standardError.write(Data("\(path) cannot be checked: \(Admin.words(error))\n".utf8))
      throw ExitCode(2)
    }
    guard check.count > 0 else {
      return print("\(file): \(check.transfers) transfers; all is well.")
    }
    for fault in check.faults { print(fault) }
    FileHandle.standardError.write(Data("\(file): \(check.transfers) transfers; \(check.count) faults.\n".utf8))
    throw ExitCode(1)
  }

  /// The store that a path leads to.
  private static func store(at path: String) throws -> String {
    var isFolder = ObjCBool(false)
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { throw Refusal("there is no such file") }
    guard isFolder.boolValue else { return path }
    let candidates = ["\(path)/stores/rewards.sqlite", "\(path)/rewards.sqlite"]
    guard let found = candidates.first(where: { FileManager.default.fileExists(atPath: $0) }) else {
      throw Refusal("it holds no rewards.sqlite")
    }
    return found
  }
}

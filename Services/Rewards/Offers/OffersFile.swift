import Foundation
import Operations
import RewardsContract

/// The operator's own offers: `offers.json` in the home folder, read at each start. An offer whose id already exists is not changed, so the
/// file may stay in place.
struct OffersFile: Document {
  static let name = "offers.json"

  /// An offer with the id that the operator gave it.
  struct Item: Document {
    let id: OfferID
    let title: String
    let reward: String
    let partnerName: String
    let costCoins: Int
    let stock: Int
    let validFrom: Instant
    let validUntil: Instant

    static let notes: Notes = CreateOffer.Input.notes.merging(["id": "A UUID that names the offer."]) { own, _ in own }

    var input: CreateOffer.Input {
      CreateOffer.Input(
        title: title, reward: reward, partnerName: partnerName, costCoins: costCoins, stock: stock, validFrom: validFrom,
        validUntil: validUntil)
    }

    func check(_ fields: inout FieldChecks) { input.check(&fields) }
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

  let offers: [Item]

  static let notes: Notes = ["offers": Note("The offers.", items: 0...1000)]

  /// The offers of the file; none where there is no file.
  static func read(inHome home: String) throws -> [Item] {
    let path = "\(home)/\(name)"
    guard FileManager.default.fileExists(atPath: path) else { return [] }
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    do {
      return try OffersFile.decode(bytes).offers
    } catch {
      throw Invalid(path: path, failure: error)
    }
  }
}

import ActivityContract
import Operations

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Reads `export.xml` of Apple Health: its records of steps and distances, and its workouts; everything else is ignored.
final class AppleHealth: XMLRecordHandler {
  var records: [ImportedRecord] = []
  private(set) var isRecognized = false

  private var depth = 0
  /// The open record: elements within it may say that it was typed in.
  private var record: Pending?
  private var workout: Workout?
  private var lastSource: (name: [UInt8], device: [UInt8], source: ImportedSource)?
  private var sources: [ImportedSource: ImportedSource] = [:]

  /// The maximum number of cached programs and devices; when it is exceeded, the cache is cleared.
  private static let maxSources = 10_000

  private struct Pending {
    let kind: ImportedSample.Kind
    let line: Int
    var start: Instant?
    var end: Instant?
    var amount: Amount = .missing
    var source: ImportedSource
    var isManual = false
  }

  private enum Amount {
    case missing, badNumber, badUnit
    case amount(Int)
  }

  private struct Workout {
    let line: Int
    let kind: ExerciseKind
    let start: Instant?
    let end: Instant?
    let seconds: Double?
    var millimetres: Int?
  }

  func start(_ element: XMLStart, line: Int) {
    depth += 1
    switch depth {
    case 1: isRecognized = element.isNamed("HealthData")
    case 2 where !isRecognized: break
    case 2:
      if element.isNamed("Record") {
        begin(element, line)
      } else if element.isNamed("Workout") {
        beginWorkout(element, line)
      }
    case 3:
      // A correlation repeats records that are also listed on their own, so only metadata of a record or a workout counts here.
      if record != nil, element.isNamed("MetadataEntry") {
        if element.value("key")?.says("HKWasUserEntered") == true, element.value("value")?.says("1") == true {
          record?.isManual = true
        }
      } else if workout != nil, element.isNamed("WorkoutStatistics") {
        addStatistics(element)
      }
    default: break
    }
  }

  func end(_ name: XMLStart.Name, line: Int) {
    if depth == 2 {
      if let record { finish(record) }
      if let workout { finish(workout) }
      record = nil
      workout = nil
    }
    depth -= 1
  }

  // MARK: - Records

  private func begin(_ element: XMLStart, _ line: Int) {
    guard let kind = Self.kind(element) else { return }
    var (unit, value): (TextBytes?, TextBytes?)
    var (name, device): (TextBytes?, TextBytes?)
    var (start, end): (Instant?, Instant?)
    for index in 0..<element.count {
      guard let attribute = element.attributeName(index) else { continue }
      let text = element.value(index)
      // Compared by first letter for speed, since this runs for every record.
      switch attribute.pointee {
      case UInt8(ascii: "u") where attribute.says("unit"): unit = text
      case UInt8(ascii: "v") where attribute.says("value"): value = text
      case UInt8(ascii: "s") where attribute.says("startDate"): start = TextValues.instant(text)
      case UInt8(ascii: "s") where attribute.says("sourceName"): name = text
      case UInt8(ascii: "e") where attribute.says("endDate"): end = TextValues.instant(text)
      case UInt8(ascii: "d") where attribute.says("device"): device = text
      default: break
      }
    }
    record = Pending(
      kind: kind, line: line, start: start, end: end, amount: Self.amount(kind, value, unit), source: source(name, device))
  }

  private static func kind(_ element: XMLStart) -> ImportedSample.Kind? {
    // Apple writes the type first.
    let isFirst = element.attributeName(0)?.says("type") == true
    guard let type = isFirst ? element.value(0) : element.value("type") else { return nil }
    if type.says("HKQuantityTypeIdentifierStepCount") { return .steps }
    // Apple does not distinguish walking and running.
    if type.says("HKQuantityTypeIdentifierDistanceWalkingRunning") { return .walkingDistance }
    if type.says("HKQuantityTypeIdentifierDistanceCycling") { return .cyclingDistance }
    return nil
  }

  private static func amount(_ kind: ImportedSample.Kind, _ value: TextBytes?, _ unit: TextBytes?) -> Amount {
    guard let value else { return .missing }
    guard let millionths = TextValues.millionths(value) else { return .badNumber }
    guard let unit else { return .badUnit }
    if kind == .steps { return unit.says("count") ? .amount((millionths + 500_000) / 1_000_000) : .badUnit }
    guard let unit = LengthUnit(unit) else { return .badUnit }
    return unit.millimetres(millionths).map(Amount.amount) ?? .badNumber
  }

  private func finish(_ record: Pending) {
    let content: ImportedRecord.Content
    switch (record.start, record.end, record.amount) {
    case (nil, _, _), (_, nil, _): content = .fault(.badTime)
    case (_, _, .missing): content = .fault(.missingValue)
    case (_, _, .badNumber): content = .fault(.badNumber)
    case (_, _, .badUnit): content = .fault(.badUnit)
    case (let start?, let end?, .amount(let amount)):
      content = .sample(
        ImportedSample(
          kind: record.kind, span: .instants(start, end), amount: amount, source: record.source, isManual: record.isManual))
    }
    records.append(ImportedRecord(line: record.line, content))
  }

  // MARK: - Sources

  /// Records of a source are consecutive, so the last source is nearly always the right one.
  private func source(_ name: TextBytes?, _ device: TextBytes?) -> ImportedSource {
    let device = device.map(Self.hardware)
    if let lastSource, Self.same(lastSource.name, name), Self.same(lastSource.device, device) { return lastSource.source }
    let fresh = ImportedSource(name: name?.string, device: device?.string)
    if sources.count == Self.maxSources { sources.removeAll() }
    let known = sources[fresh] ?? fresh
    sources[fresh] = known
    lastSource = (name.map(Array.init) ?? [], device.map(Array.init) ?? [], known)
    return known
  }

  private static func same(_ known: [UInt8], _ bytes: TextBytes?) -> Bool {
    guard let bytes, let start = bytes.baseAddress else { return known.isEmpty }
    return known.count == bytes.count && memcmp(known, start, bytes.count) == 0
  }

  /// The model in `<<HKDevice: 0x282a45810>, name:Apple Watch, …, hardware:Watch2,4, software:4.3.1>`: the address before it differs in
  /// each export.
  private static func hardware(_ text: TextBytes) -> TextBytes {
    guard let from = find("hardware:", in: text) else { return TextBytes(start: nil, count: 0) }
    let rest = TextBytes(rebasing: text[from...])
    var end = find(", software", in: rest).map { $0 - 10 } ?? rest.count
    if end > 0, end == rest.count, rest[end - 1] == UInt8(ascii: ">") { end -= 1 }
    return TextBytes(rebasing: rest[..<end])
  }

  /// The index after the first occurrence of a text.
  private static func find(_ part: StaticString, in text: TextBytes) -> Int? {
    let count = part.utf8CodeUnitCount
    guard let start = text.baseAddress, text.count >= count else { return nil }
    for position in 0...(text.count - count) where memcmp(start + position, part.utf8Start, count) == 0 {
      return position + count
    }
    return nil
  }

  // MARK: - Workouts

  private func beginWorkout(_ element: XMLStart, _ line: Int) {
    let type = element.value("workoutActivityType")?.string ?? ""
    let start = element.value("startDate").flatMap(TextValues.instant)
    let end = element.value("endDate").flatMap(TextValues.instant)
    let duration = element.value("duration").flatMap(TextValues.millionths).map { Double($0) / 1_000_000 }
    let factor = element.value("durationUnit").map { $0.says("min") ? 60.0 : $0.says("hr") ? 3600 : 1 } ?? 60
    let seconds =
      duration.map { $0 * factor }
      ?? start.flatMap { start in
        end.map { max(0, Double($0.milliseconds - start.milliseconds)) / 1000 }
      }
    workout = Workout(
      line: line, kind: Self.exercise(type), start: start, end: end, seconds: seconds,
      millimetres: Self.millimetres(element.value("totalDistance"), element.value("totalDistanceUnit")))
  }

  /// Later exports have the distance in an element of its own.
  private func addStatistics(_ element: XMLStart) {
    guard let type = element.value("type")?.string, type.hasPrefix("HKQuantityTypeIdentifierDistance") else { return }
    guard let more = Self.millimetres(element.value("sum"), element.value("unit")) else { return }
    let (sum, isTooLong) = (workout?.millimetres ?? 0).addingReportingOverflow(more)
    if !isTooLong { workout?.millimetres = sum }
  }

  private static func millimetres(_ value: TextBytes?, _ unit: TextBytes?) -> Int? {
    guard let millionths = value.flatMap(TextValues.millionths), let unit = unit.flatMap(LengthUnit.init) else { return nil }
    return unit.millimetres(millionths)
  }

  private static func exercise(_ type: String) -> ExerciseKind {
    switch type {
    case "HKWorkoutActivityTypeWalking", "HKWorkoutActivityTypeHiking": .walking
    case "HKWorkoutActivityTypeRunning": .running
    case "HKWorkoutActivityTypeCycling": .cycling
    default: .other
    }
  }

  private func finish(_ workout: Workout) {
    let content: ImportedRecord.Content
    if let start = workout.start, (0..<1e9).contains(workout.seconds ?? 0) {
      if let end = workout.end, end < start {
        content = .fault(.endsBeforeStart)
      } else {
        content = .exercise(
          FoundExercise(
            kind: workout.kind, name: nil, start: start, durationSeconds: workout.seconds.map { Int($0.rounded()) },
            distanceMillimetres: workout.millimetres))
      }
    } else {
      content = .fault(.badTime)
    }
    records.append(ImportedRecord(line: workout.line, content))
  }
}

/// The area under the ROC curve of whoever tells two samples apart by their length: how often one of the first takes longer than one of
/// the second, a tie being half. By chance alone it is 0.5.
public func areaUnderCurve(_ first: some Collection<Duration>, _ second: some Collection<Duration>) -> Double {
  var longer = 0.0
  for one in first { for other in second { longer += one > other ? 1 : one == other ? 0.5 : 0 } }
  return longer / Double(first.count * second.count)
}

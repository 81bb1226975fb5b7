/// What the virtual machine needs of its connection beside `SQLHost`: state that functions read.
protocol VMHost: SQLHost {
  var functionHost: FunctionHost { get }
}

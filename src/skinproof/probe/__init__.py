"""The self-test: what this installation computes, held against the numbers that it must."""

from skinproof.probe.contract import ContractNumber, ContractScan, fixed_numbers, scan

__all__ = ["ContractNumber", "ContractScan", "fixed_numbers", "scan"]
